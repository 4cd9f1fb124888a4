import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { z } from 'zod';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { PaperTextsPort } from '../../../activities/ports/stores.js';
import type { TablesPort } from '../../../activities/ports/tools.js';
import type { PaperText } from '../../../domain/agent/question-context.js';
import { keyTextSql, sqlName } from '../../../domain/stores/database-schema.js';

const keyColumnSchema = z.object({ name: z.string(), type: z.string() });
type KeyColumn = z.infer<typeof keyColumnSchema>;

/** The texts of a column by primary key. The parts of a composite key are joined by commas, as in the collections. */
export async function textsByKey(
  instance: DuckDBInstance,
  connection: DuckDBConnection,
  {
    tableName,
    columnName,
    primaryKeys,
    keyColumns: named,
  }: {
    readonly tableName: string;
    readonly columnName: string;
    readonly primaryKeys: readonly string[];
    readonly keyColumns?: readonly string[];
  },
): Promise<readonly (readonly [key: string, text: string])[]> {
  const keyColumns = await knownKeyColumns(instance, connection, tableName, named);
  const key = keyTextSql(keyColumns.map(({ name }) => name));
  const text = `${sqlName(columnName)}::VARCHAR`;
  const reader = await connection.runAndReadAll(
    `WITH wanted(key) AS (SELECT unnest($keys::JSON::VARCHAR[]))
     SELECT ${key}, ${text} FROM ${sqlName(tableName)}
     WHERE ${text} IS NOT NULL AND ${isWanted(keyColumns, key)}`,
    { keys: JSON.stringify(primaryKeys) },
  );
  return reader.getRows().map(([found, value]) => [String(found), String(value)]);
}

/** The key columns of each opened store, by table. Reading them takes as long as reading the texts. */
const known = new WeakMap<DuckDBInstance, Map<string, readonly KeyColumn[]>>();

async function knownKeyColumns(
  instance: DuckDBInstance,
  connection: DuckDBConnection,
  tableName: string,
  named: readonly string[] | undefined,
): Promise<readonly KeyColumn[]> {
  const tables = known.get(instance) ?? new Map<string, readonly KeyColumn[]>();
  known.set(instance, tables);
  const keyColumns = tables.get(tableName) ?? (await keyColumnsOf(connection, tableName, named));
  tables.set(tableName, keyColumns);
  return keyColumns;
}

/** The named columns, else the declared primary key, else the first column. */
async function keyColumnsOf(
  connection: DuckDBConnection,
  tableName: string,
  named: readonly string[] | undefined,
): Promise<readonly KeyColumn[]> {
  const reader = await connection.runAndReadAll(
    `SELECT name, type, pk OR (cid = 0 AND NOT bool_or(pk) OVER ()) AS "isKey"
     FROM pragma_table_info($table) ORDER BY cid`,
    { table: sqlName(tableName) },
  );
  const columns = z
    .array(keyColumnSchema.extend({ isKey: z.boolean() }))
    .min(1)
    .parse(reader.getRowObjects());
  return named === undefined
    ? columns.filter(({ isKey }) => isKey)
    : named.map((key) => columns.find(({ name }) => name === key) ?? { name: key, type: 'BIGINT' });
}

/** A single key column is compared in its own type, so that DuckDB can use its index. */
function isWanted(keyColumns: readonly KeyColumn[], key: string): string {
  const [column, ...others] = keyColumns;
  return column === undefined || others.length > 0
    ? `${key} IN (SELECT key FROM wanted)`
    : `${sqlName(column.name)} IN (SELECT TRY_CAST(key AS ${column.type}) FROM wanted)`;
}

const timeoutMs = 30_000;
/** Of sections or pages of a paper. The limit of characters of a result is reached first. */
const maxRows = 10_000;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Papers' texts from a store's tables. */
export function createPaperTextsInTables(tables: TablesPort): PaperTextsPort {
  return {
    titles: (request, signal) => column('title', request, signal),
    texts: async ({ papers, ...place }, signal) => {
      const [titles, abstracts] = await Promise.all([
        column('title', { ...place, papers }, signal),
        column('abstract', { ...place, papers }, signal),
      ]);
      return Promise.all(
        papers
          .filter((paper) => uuid.test(paper) && titles.has(paper))
          .map(async (paper): Promise<PaperText> => {
            const [sections, pages] = await Promise.all([
              rows(
                place,
                `SELECT section_title, section_content FROM sections WHERE ref_paper_id = '${paper}' ORDER BY ordinal`,
                signal,
              ),
              rows(
                place,
                `SELECT page_content FROM pages WHERE ref_paper_id = '${paper}' ORDER BY page_number`,
                signal,
              ),
            ]);
            return {
              title: titles.get(paper) ?? '',
              abstract: abstracts.get(paper) ?? '',
              sections: sections.map(([title = '', text = '']) => ({ title, text })),
              pages: pages.map(([text = '']) => text),
            };
          }),
      );
    },
  };

  function column(
    columnName: string,
    { papers, ...place }: Parameters<PaperTextsPort['titles']>[0],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string>> {
    const primaryKeys = papers.filter((paper) => uuid.test(paper));
    return tables.texts({ ...place, tableName: 'metadata', columnName, primaryKeys }, signal);
  }

  async function rows(
    { store: name, fingerprint }: Omit<Parameters<PaperTextsPort['titles']>[0], 'papers'>,
    sql: string,
    signal: AbortSignal,
  ): Promise<readonly (readonly string[])[]> {
    const outcome = await tables.query(
      { database: { kind: 'store', name, fingerprint }, sql, maxRows, timeoutMs },
      signal,
    );
    if (outcome.kind === 'rows') {
      return outcome.result.rows.map((row) =>
        row.map((cell) => (typeof cell === 'string' ? cell : '')),
      );
    }
    const reason = outcome.kind === 'sql-error' ? outcome.message : 'it took too long';
    throw new PortFailure(
      'StoreUnavailable',
      `The papers of store ${name} cannot be read: ${reason}`,
    );
  }
}
