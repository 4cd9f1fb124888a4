import type { ActionSpec } from '../action-spec.js';

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
