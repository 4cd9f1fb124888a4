import type { ActionSpec } from './action-spec.js';
import { anyValueOfJson } from './action.js';
import { retrieveFromDatabase, retrieveFromVectorstore } from './retrieval-specs.js';

// The same actions with examples over tables that are not about papers.

export const queryAnyTables: ActionSpec = {
  ...retrieveFromDatabase,
  examples: [
    {
      explanation: 'Count the orders of each country, the most first.',
      action: {
        kind: 'RetrieveFromDatabase',
        sql: 'SELECT c.country, count(*) AS orders FROM orders o JOIN customers c ON o.customer_id = c.id GROUP BY c.country ORDER BY orders DESC LIMIT 10;',
      },
    },
    {
      explanation: 'Read what a search has found as the row with primary key 17 of table reviews.',
      action: {
        kind: 'RetrieveFromDatabase',
        sql: 'SELECT r.written_on, r.comment, p.name FROM reviews r JOIN products p ON r.product_id = p.id WHERE r.id = 17;',
      },
    },
  ],
};

export const searchAnyTexts: ActionSpec = {
  ...retrieveFromVectorstore,
  parameters: retrieveFromVectorstore.parameters.map((parameter) =>
    parameter.name === 'filter'
      ? {
          ...parameter,
          description:
            "A condition that entries must meet besides, in the schema's filter operators, for example on primary_key.",
        }
      : parameter,
  ),
  examples: [
    {
      explanation: 'Find reviews by words they share with the query.',
      action: {
        kind: 'RetrieveFromVectorstore',
        query: 'battery empty after an hour',
        collection_name: 'text_bm25_en',
        table_name: 'reviews',
        column_name: 'comment',
        filter: '',
        limit: anyValueOfJson(5),
      },
    },
    {
      explanation: 'Among the products that SQL has found, find the three closest in meaning.',
      action: {
        kind: 'RetrieveFromVectorstore',
        query: 'something to keep soup warm',
        collection_name: 'text_sentence_transformers_all_minilm_l6_v2',
        table_name: 'products',
        column_name: 'description',
        filter: "primary_key in ['3', '7', '12', '20']",
        limit: anyValueOfJson(3),
      },
    },
  ],
};
