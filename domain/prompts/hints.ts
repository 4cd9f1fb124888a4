// What helps an agent with each of its means; a method lists those that apply to it.

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

/** For agents with both. */
export const combiningHints = [
  'SQL is for facts you can point at: counts, page numbers, the text of a known section or page. Similarity search is for passages whose wording you do not know. A hit leads back to its row in the database: read on from there by SQL.',
] as const;

/** For every agent with a choice of actions. */
export const generalHints = [
  'When an action fails or finds nothing, change it; repeating it will not help.',
  'Answer only from what you have seen. Copy names and numbers as the paper writes them.',
] as const;

export const seedHints = [
  'A search covers all papers of the store. When the question is about one paper, check the pdf_id of what was found, or look the passage up by SQL within that paper.',
] as const;
