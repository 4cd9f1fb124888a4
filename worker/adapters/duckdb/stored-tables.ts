import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { StoredTables } from '../../../activities/ports/store-contents.js';
import {
  paperTables,
  type PaperRows,
  type PaperTableName,
  type TableSpec,
} from '../../../domain/stores/paper-tables.js';

const tableNames = Object.keys(paperTables) as readonly PaperTableName[]; // the keys of the literal

/** Opens the tables of a store beside the processes that query them. The file at `path` exists. */
export async function openStoredTables(
  path: string,
): Promise<StoredTables | { readonly unreadable: string }> {
  let instance: DuckDBInstance;
  try {
    instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY', threads: '1' });
  } catch {
    return { unreadable: 'DuckDB cannot open it' };
  }
  const connection = await instance.connect();
  const close = (): void => {
    connection.closeSync();
    instance.closeSync();
  };
  const other = await tableOfAnotherShape(connection);
  if (other !== undefined) {
    close();
    return { unreadable: `table ${other} is missing, or has other columns` };
  }
  return {
    rows: (papers) => reading(() => rowsOf(connection, papers)),
    others: (papers) => reading(() => rowsOfOthers(connection, papers)),
    close,
  };
}

/** A table that does not have exactly the columns of this version. */
async function tableOfAnotherShape(connection: DuckDBConnection): Promise<string | undefined> {
  const reader = await connection.runAndReadAll(
    `SELECT table_name, string_agg(column_name || ' ' || data_type, ', ' ORDER BY column_index)
     FROM duckdb_columns() WHERE schema_name = 'main' GROUP BY table_name`,
  );
  const found = new Map(reader.getRows().map(([table, columns]) => [table, columns]));
  return tableNames.find((table) => {
    const columns = Object.entries((paperTables[table] as TableSpec).columns);
    return found.get(table) !== columns.map(([name, { type }]) => `${name} ${type}`).join(', ');
  });
}

async function reading<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw new PortFailure('StoreMissing', 'The tables are damaged.', { cause });
  }
}

/** The column that names a row's paper. */
export const paperKey = (table: PaperTableName): string =>
  table === 'metadata' ? 'paper_id' : 'ref_paper_id';

const wanted = (papers: readonly string[]): Record<string, string> => ({
  papers: JSON.stringify(papers),
});

/** The rows of papers, each table in the order of insertion. */
export async function rowsOf(
  connection: DuckDBConnection,
  papers: readonly string[],
): Promise<ReadonlyMap<string, PaperRows>> {
  const found = new Map<string, Record<PaperTableName, unknown[]>>();
  for (const table of tableNames) {
    const reader = await connection.runAndReadAll(
      `SELECT ${Object.keys(paperTables[table].columns).join(', ')} FROM ${table} WHERE ${paperKey(table)} IN (SELECT unnest($papers::JSON::UUID[])) ORDER BY rowid`,
      wanted(papers),
    );
    for (const row of reader.getRowObjectsJson()) {
      const paper = row[paperKey(table)];
      if (typeof paper !== 'string') continue; // The condition excludes it.
      const rows = found.get(paper) ?? emptyTables();
      found.set(paper, rows);
      rows[table].push(row);
    }
  }
  // Every table has the columns and types of its specification.
  return found as unknown as ReadonlyMap<string, PaperRows>;
}

const emptyTables = (): Record<PaperTableName, unknown[]> =>
  Object.fromEntries(tableNames.map((table) => [table, []])) as unknown as Record<
    PaperTableName,
    unknown[]
  >;

async function rowsOfOthers(
  connection: DuckDBConnection,
  papers: readonly string[],
): ReturnType<StoredTables['others']> {
  const others = [];
  for (const table of tableNames) {
    const { primaryKey }: TableSpec = paperTables[table];
    const reader = await connection.runAndReadAll(
      `SELECT count(*), first(${primaryKey} ORDER BY rowid)::VARCHAR FROM ${table}
       WHERE ${paperKey(table)} IS NULL OR ${paperKey(table)} NOT IN (SELECT unnest($papers::JSON::UUID[]))`,
      wanted(papers),
    );
    const [[count, example] = []] = reader.getRows();
    if (Number(count) > 0) others.push({ table, count: Number(count), example: String(example) });
  }
  return others;
}
