import type { ActionSpec } from './action-spec.js';
import { anyValueOfJson } from './action.js';

export const classicRetrieve: ActionSpec = {
  name: 'ClassicRetrieve',
  description:
    'Search the Milvus vectorstore for passages of the papers whose meaning is close to a query text.',
  observation:
    'The closest passages, best first, each with its score and the place in the database it comes from.',
  parameters: [
    {
      name: 'query',
      type: 'str',
      description:
        'What to look for, in plain language. A short, specific wording finds more than the whole question.',
    },
    {
      name: 'limit',
      type: 'int',
      default: anyValueOfJson(5),
      description: 'How many passages to return: a positive integer. At most 10 are shown.',
    },
  ],
  examples: [
    {
      explanation: 'Find out how the annotators agreed with each other.',
      action: {
        kind: 'ClassicRetrieve',
        query: 'inter-annotator agreement of the human evaluation',
        limit: anyValueOfJson(5),
      },
    },
    {
      explanation: "Look at the three passages nearest to the question of the encoder's size.",
      action: {
        kind: 'ClassicRetrieve',
        query: "the encoder's number of layers",
        limit: anyValueOfJson(3),
      },
    },
  ],
};

export const queryGraph: ActionSpec = {
  name: 'QueryGraph',
  description:
    'Ask a graph of the entities in the papers, and of how they relate, a question in words. Use it for what is spread over many papers: themes, comparisons, who builds on whom.',
  observation: 'An answer in words, put together from the graph.',
  parameters: [
    {
      name: 'query',
      type: 'str',
      description: 'A question that can be understood by itself. Name papers by their titles.',
    },
  ],
  examples: [
    {
      explanation: 'Ask for a theme that no single passage states.',
      action: {
        kind: 'QueryGraph',
        query: 'Which kinds of data augmentation do the papers on speech recognition use?',
      },
    },
    {
      explanation: 'Ask how papers relate.',
      action: {
        kind: 'QueryGraph',
        query: 'Which papers evaluate on a benchmark that another of the papers introduces?',
      },
    },
  ],
};

export const retrieveFromDatabase: ActionSpec = {
  name: 'RetrieveFromDatabase',
  description:
    'Run one SQL query against the DuckDB database. Use the table and column names of the given database schema; only reading is possible.',
  observation:
    'The rows the query returned, or the error it ended with. When there are many rows or long ones, only the first are shown.',
  parameters: [
    {
      name: 'sql',
      type: 'str',
      description: 'A complete SELECT statement in the DuckDB dialect.',
    },
  ],
  examples: [
    {
      explanation: "List the section titles of the paper whose paper_id is 'p-17', in order.",
      action: {
        kind: 'RetrieveFromDatabase',
        sql: "SELECT section_title FROM sections WHERE ref_paper_id = 'p-17' ORDER BY ordinal;",
      },
    },
    {
      explanation:
        "Read the caption and content of every table in paper 'p-17' that mentions accuracy, with the page it is on.",
      action: {
        kind: 'RetrieveFromDatabase',
        sql: "SELECT p.page_number, t.table_caption, t.table_content FROM tables t JOIN pages p ON t.ref_page_id = p.page_id WHERE t.ref_paper_id = 'p-17' AND t.table_caption ILIKE '%accuracy%';",
      },
    },
  ],
};

export const retrieveFromVectorstore: ActionSpec = {
  name: 'RetrieveFromVectorstore',
  description:
    'Search one collection of the Milvus vectorstore for entries close to a query text. You choose which collection is searched, the database column whose cells are compared, and, if you like, a condition that narrows the search.',
  observation:
    'The closest entries, best first, each with its score, its text and the database cell it was made from.',
  parameters: [
    {
      name: 'query',
      type: 'str',
      description:
        'What to look for, in plain language. A short, specific wording finds more than the whole question.',
    },
    {
      name: 'collection_name',
      type: 'str',
      description: 'A collection of the given vectorstore schema.',
    },
    {
      name: 'table_name',
      type: 'str',
      description: 'The database table whose cells are searched.',
    },
    {
      name: 'column_name',
      type: 'str',
      description:
        'The column of that table; the pair must be one that the schema says is encoded.',
    },
    {
      name: 'filter',
      type: 'str',
      default: '',
      description:
        "A condition that entries must meet besides, in the schema's filter operators, for example on pdf_id or page_number.",
    },
    {
      name: 'limit',
      type: 'int',
      default: anyValueOfJson(5),
      description: 'How many entries to return: a positive integer. At most 10 are shown.',
    },
  ],
  examples: [
    {
      explanation:
        "Find passages of paper 'p-17' about how the learning rate was chosen, by words they share with the query.",
      action: {
        kind: 'RetrieveFromVectorstore',
        query: 'learning rate schedule warm-up',
        collection_name: 'text_bm25_en',
        table_name: 'chunks',
        column_name: 'text_content',
        filter: "pdf_id == 'p-17'",
        limit: anyValueOfJson(5),
      },
    },
    {
      explanation:
        'Among the abstracts of all papers, find the three that come closest in meaning to a topic.',
      action: {
        kind: 'RetrieveFromVectorstore',
        query: 'detecting sarcasm in code-mixed text',
        collection_name: 'text_by_meaning',
        table_name: 'metadata',
        column_name: 'abstract',
        filter: '',
        limit: anyValueOfJson(3),
      },
    },
  ],
};
