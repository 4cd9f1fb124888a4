import type { ActionSpec } from '../action-spec.js';
import { anyValueOfJson } from '../any-value.js';

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
        collection_name: 'text_sentence_transformers_all_minilm_l6_v2',
        table_name: 'metadata',
        column_name: 'abstract',
        filter: '',
        limit: anyValueOfJson(3),
      },
    },
  ],
};
