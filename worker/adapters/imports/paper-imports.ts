import { readFile } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { PaperImportsPort } from '../../../activities/ports/imports.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { firstIssue, jsonIn } from '../../../domain/formats/json.js';
import { bm25Schema } from '../../../domain/stores/bm25.js';
import type {
  GivenImport,
  GivenPart,
  FoundPaper,
  Gap,
  Ingestion,
} from '../../../domain/stores/ingestion.js';
import {
  paperTables,
  type PaperTableName,
  type TableSpec,
} from '../../../domain/stores/paper-tables.js';
import type { ObjectStorage } from '../../../storage/objects.js';
import { readGivenImport } from '../../../storage/stores/uploads.js';
import type { LocalCopies } from '../../../storage/stores/local-copies.js';
import { noExtensions, withConnection } from '../duckdb/open-store.js';
import { rowsOf, paperKey } from '../duckdb/stored-tables.js';

/** Data in the formats of the reference system, from copies in the storage. Nothing is written beside them. */
export function createPaperImports(storage: ObjectStorage, copies: LocalCopies): PaperImportsPort {
  const fileOf = ({ copy, ...content }: GivenPart): Promise<string> => copies.file(copy, content);
  const textOf = async (part: GivenPart | undefined): Promise<string | null> =>
    part === undefined ? null : readFile(await fileOf(part), 'utf8');

  const withTables = async <T>(
    database: GivenPart,
    work: (connection: DuckDBConnection) => Promise<T>,
  ): Promise<T> =>
    withReferenceTables({ file: await fileOf(database), name: database.given }, work);

  async function givenTo(ingestion: Ingestion): Promise<GivenImport> {
    const given = await readGivenImport(storage, ingestion);
    if (given !== null) return given;
    throw new PortFailure('IngestionLost', 'What was to be imported is lost: import it again.');
  }

  return {
    papers: async (ingestion) => {
      const { database, processed } = await givenTo(ingestion);
      const inTables =
        database === null
          ? { papers: [], gaps: [] }
          : await withTables(database, (connection) => papersIn(connection, database.given));
      const papers = new Set([...inTables.papers, ...Object.keys(processed)]);
      return { papers: [...papers].sort(), gaps: inTables.gaps };
    },
    read: async (ingestion, papers) => {
      const { database, processed, metadata, pdfs } = await givenTo(ingestion);
      const ids = papers.filter((paper) => guid.test(paper));
      const rows =
        database === null
          ? new Map<string, never>()
          : await withTables(database, (connection) => rowsOf(connection, ids));
      const found: FoundPaper[] = [];
      for (const paperId of papers) {
        const pdf = pdfs[paperId];
        found.push({
          paperId,
          rows: rows.get(paperId) ?? null,
          processed: await textOf(processed[paperId]),
          metadata: await textOf(metadata[paperId]),
          pdf: pdf === undefined ? null : await fileOf(pdf),
        });
      }
      return found;
    },
    bm25: async (ingestion) => {
      const given = (await readGivenImport(storage, ingestion))?.bm25 ?? null;
      if (given === null) return null;
      const model = bm25Schema.safeParse(jsonIn((await textOf(given)) ?? ''));
      if (model.success) return model.data;
      const reason = firstIssue(model.error);
      throw new PortFailure(
        'UnreadableImport',
        `${given.given} is no fitted BM25 model: ${reason}`,
      );
    },
  };
}

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const tableNames = Object.keys(paperTables) as readonly PaperTableName[]; // the keys of the literal

/** Nothing is written beside the database, and nothing is downloaded. */
const options = { access_mode: 'READ_ONLY', threads: '1', memory_limit: '1GB', ...noExtensions };

const refuse = (name: string, reason: string): never => {
  throw new PortFailure('UnreadableImport', `${name} ${reason}.`);
};

/**
 * Runs `work` on a database with the tables of papers. Columns may be in another order, and others beside them.
 * @param name - for messages
 */
const withReferenceTables = <T>(
  { file, name }: { readonly file: string; readonly name: string },
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> =>
  withConnection(file, options, async (connection) => {
    try {
      const flaw = await flawOf(connection);
      if (flaw !== undefined) refuse(name, `is no database of papers: ${flaw}`);
      return await work(connection);
    } catch (cause) {
      if (cause instanceof PortFailure) throw cause;
      const reason = cause instanceof Error ? cause.message.split('\n', 1)[0] : String(cause);
      throw new PortFailure('UnreadableImport', `${name} cannot be read: ${reason}`, { cause });
    }
  }).catch((error: unknown) => {
    if (error instanceof PortFailure) throw error;
    return refuse(name, 'cannot be opened by DuckDB: it is missing, damaged, or open for writing');
  });

/** The first table or column that is missing or has another type. */
async function flawOf(connection: DuckDBConnection): Promise<string | undefined> {
  const reader = await connection.runAndReadAll(
    `SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE schema_name = 'main'`,
  );
  const found = new Map<string, Map<string, string>>();
  for (const [table, column, type] of reader.getRows().map((row) => row.map(String))) {
    const columns = found.get(table ?? '') ?? new Map<string, string>();
    found.set(table ?? '', columns.set(column ?? '', type ?? ''));
  }
  for (const table of tableNames) {
    const columns = found.get(table);
    if (columns === undefined) return `table ${table} is missing`;
    for (const [column, { type }] of Object.entries((paperTables[table] as TableSpec).columns)) {
      const has = columns.get(column);
      if (has === undefined) return `column ${column} of table ${table} is missing`;
      if (has !== type) return `column ${column} of table ${table} is ${has} instead of ${type}`;
    }
  }
  return undefined;
}

/** The ids of all papers that some table names, and the rows that name none. */
async function papersIn(
  connection: DuckDBConnection,
  name: string,
): Promise<{ readonly papers: readonly string[]; readonly gaps: readonly Gap[] }> {
  const papers = new Set<string>();
  const gaps: Gap[] = [];
  for (const table of tableNames) {
    const { primaryKey }: TableSpec = paperTables[table];
    const [shared] = await column(
      connection,
      `SELECT ${primaryKey}::VARCHAR FROM ${table} GROUP BY ${primaryKey}
       HAVING count(DISTINCT ${paperKey(table)}) > 1 ORDER BY 1 LIMIT 1`,
    );
    if (shared !== undefined) {
      refuse(name, `is no database of papers: table ${table} gives ${shared} to several papers`);
    }
    const ids = `SELECT DISTINCT ${paperKey(table)}::VARCHAR FROM ${table}`;
    for (const id of await column(connection, `${ids} WHERE ${paperKey(table)} IS NOT NULL`)) {
      papers.add(id);
    }
    const [orphans] = await column(
      connection,
      `SELECT count(*)::VARCHAR FROM ${table} WHERE ${paperKey(table)} IS NULL`,
    );
    const count = Number(orphans);
    if (count > 0) gaps.push({ kind: 'rows', count, papers: 0, example: `table ${table}` });
  }
  return { papers: [...papers], gaps };
}

const column = async (connection: DuckDBConnection, sql: string): Promise<readonly string[]> =>
  (await connection.runAndReadAll(sql)).getRows().map(([cell]) => String(cell));
