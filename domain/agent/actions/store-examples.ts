import { z } from 'zod';
import { type StoredDatabase } from '../../stores/database.js';
import { sqlName } from '../../stores/database-schema.js';
import { modalityOf, type Collection } from '../../stores/store-manifest.js';
import { actionSchema, anyValueOfJson, type ActionSpec } from './action.js';

/** The store whose names stand in the examples of a prompt. */
export interface ExampleStore {
  readonly collections: readonly Collection[];
  /** The id of a paper that it holds. */
  readonly paper?: string | undefined;
  readonly database?: StoredDatabase | undefined;
}

type Examples = ActionSpec['examples'];
const examplesSchema = z.array(z.object({ explanation: z.string(), action: actionSchema }));

/** What stands in our specifications for a paper, and for a collection by meaning. */
export const [examplePaper, exampleCollection] = ['p-17', 'text_by_meaning'];

/** The examples of an action, with collections, tables and papers that the store has. */
export function examplesOver(
  { name, examples }: ActionSpec,
  { collections, paper = examplePaper, database }: ExampleStore,
): Examples {
  const own = database && examplesOverTables(name, database);
  const texts = collections.filter((collection) => modalityOf(collection.name) === 'text');
  const meaning = texts.find(({ vector }) => vector.kind === 'dense') ?? texts[0];
  const named = JSON.stringify(own ?? examples)
    .replaceAll(examplePaper, paper)
    .replaceAll(exampleCollection, meaning?.name ?? exampleCollection);
  return examplesSchema.parse(JSON.parse(named));
}

/** Undefined for an action whose examples name no table, or where there is nothing to search. */
function examplesOverTables(action: string, database: StoredDatabase): Examples | undefined {
  const [first] = database.tables;
  const [searched] = database.searched;
  if (action === 'RetrieveFromDatabase' && first) {
    const column = first.columns.find(({ type }) => /char|text/i.test(type)) ?? first.columns[0];
    const by = sqlName(column?.name ?? '');
    const count = `SELECT ${by}, count(*) AS n FROM ${sqlName(first.name)} GROUP BY ${by} ORDER BY n DESC LIMIT 10;`;
    return [
      {
        explanation: `See which values column ${column?.name ?? ''} of table ${first.name} has, the most frequent first.`,
        action: { kind: 'RetrieveFromDatabase', sql: count },
      },
      ...(searched === undefined ? [] : [rowFound(searched)]),
    ];
  }
  const column = searched?.columns[0];
  if (action !== 'RetrieveFromVectorstore' || !searched || column === undefined) return undefined;
  const search = {
    kind: 'RetrieveFromVectorstore',
    table_name: searched.table,
    column_name: column,
  } as const;
  return [
    {
      explanation: `Find rows of table ${searched.table} whose ${column} shares words with the query.`,
      action: {
        ...{ ...search, query: 'two or three words that the text contains' },
        ...{ collection_name: 'text_bm25_en', filter: '', limit: anyValueOfJson(5) },
      },
    },
    {
      explanation: `Among the rows that SQL has found, find the three whose ${column} is closest in meaning.`,
      action: {
        ...{ ...search, query: 'what the text is about, in a short phrase' },
        ...{ collection_name: exampleCollection, limit: anyValueOfJson(3) },
        filter: "primary_key in ['3', '7', '12', '20']",
      },
    },
  ];
}

function rowFound({ table, key }: StoredDatabase['searched'][number]): Examples[number] {
  const values = key.map(
    (column, index) => `CAST(${sqlName(column)} AS VARCHAR) = '${17 + index}'`,
  );
  return {
    explanation: `Read the row of table ${table} that a search has found with primary_key ${key.map((_, index) => 17 + index).join(',')}.`,
    action: {
      kind: 'RetrieveFromDatabase',
      sql: `SELECT * FROM ${sqlName(table)} WHERE ${values.join(' AND ')};`,
    },
  };
}
