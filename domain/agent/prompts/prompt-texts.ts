// Hints by kind of action; a method lists the hints that apply to it.

export const classicHints = [
  'When the passages found do not settle the question, search again with other words: a synonym, the name of a method or data set, a phrase the paper would use.',
  'Check that a passage speaks about what was asked, and about the paper in question, before you rely on it.',
  'Answer when you are confident, not sooner; a second search costs little.',
] as const;

export const databaseHints = [
  'Look before you guess. Titles of sections, captions and names vary between papers: list what is there (for example the section titles of the paper) before filtering on an exact text, and prefer ILIKE to = for texts.',
  'Select the columns you need and limit the rows: long observations are cut, and a statement over all papers is slow.',
] as const;

export const vectorstoreHints = [
  'Passages, sections, captions, tables and abstracts are embedded as (table, column) pairs of their own. When one pair brings nothing, try another, or another collection.',
  'A search covers all papers of the store unless a filter on pdf_id narrows it.',
] as const;

/** For methods with SQL and vector search. */
export const combiningHints = [
  'SQL is for facts you can point at: counts, page numbers, the text of a known section or page. Similarity search is for passages whose wording you do not know. A hit leads back to its row in the database: read on from there by SQL.',
] as const;

/** For every iterative method. */
export const generalHints = [
  'When an action fails or finds nothing, change it; repeating it will not help.',
  'Answer only from what you have seen. Copy names and numbers as the paper writes them.',
] as const;

export const seedHints = [
  'A search covers all papers of the store. When the question is about one paper, check the pdf_id of what was found, or look the passage up by SQL within that paper.',
] as const;

/** For methods over a database that is not about papers. */
export const textColumnHints = [
  'Look before you guess. List the values that a column has before you filter on an exact text, and prefer ILIKE to = for texts.',
  'Count, sum, group and join by SQL. Select the columns you need and limit the rows: long observations are cut.',
  'Search for a text whose wording you do not know: each search covers one column. A hit names its row by primary_key: read the rest of the row, and what belongs to it, by SQL.',
  'When an action fails or finds nothing, change it; repeating it will not help.',
  'Answer only from what you have seen. Copy names and numbers as the database writes them.',
] as const;

// Roles that several methods share.

export const answerFromContext =
  'You answer a question about research papers from a context that was retrieved for it. The context may be incomplete or beside the point: weigh it, and give the best answer it allows.';

export const bothStores =
  'You answer questions about research papers. Everything known about the papers was read from their PDFs into two places: a DuckDB database, which you query with SQL, and a Milvus vectorstore, which holds embeddings of selected database cells and finds passages by similarity.';

export const databaseAndTexts =
  'You answer questions about a database. Its tables are in DuckDB, which you query with SQL. Texts in some of its columns are also in a Milvus vectorstore, which finds cells by words and by meaning.';

// Notes below an observation. Later requests repeat them unchanged, so that providers can cache the common prefix.

export const noteTexts = {
  'note.turns-left': '[Turns Left]: {{left}}',
  /** Before the last turn, which accepts GenerateAnswer only. */
  'note.last-turn':
    '[Turns Left]: 1. This turn must be GenerateAnswer. Give the best answer that what you have seen allows, in the answer format.',
  'note.repeated-action':
    '[Note]: This is the same action as in turn {{turn}}, so it brought nothing new. Try something else.',
} as const;

/** The query for the graph program. */
export const graphQueryPrompt = `{{task}}

Give the final answer, and nothing but the answer, inside a code fence that begins with \`\`\`txt and ends with \`\`\`.`;

/** The word with which a judge accepts an answer. */
export const completed = 'COMPLETED';

/** The end of an accepting reply of a judge. */
export const acceptance = `\`\`\`txt\n${completed}\n\`\`\``;

/** The parts of a task, between the role and what follows. `inputs` fills the placeholder. */
export const taskDescription = `--------

## Task Description
A task is made of these parts. Parts that do not apply are left out.

{{inputs}}

--------`;

/** Asks the judge whether the graph's last answer is good enough. */
export const judgePrompt = `{{role}}

${taskDescription}

This is the task:

{{task}}

First reason about whether the last answer settles the question, and whether it has the form that the answer format asks for. If both are so, end with this code fence, which hands the answer in:

${acceptance}

If not, write in place of that word the question to ask next. It must be understood by itself, and differ from those asked so far.
`;

/** Part of every run's manifest. Raise it whenever a text that models read changes. */
export const promptVersion = '5';
