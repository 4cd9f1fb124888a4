import { existsSync } from 'node:fs';
import { copyFile, constants, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { z } from 'zod';
import {
  databaseDescriptionFile,
  databaseDescriptionSchema,
  databaseFileName,
  databaseFolder,
  importedDatabaseFile,
  type DatabaseDescriptionFile,
  type DatabaseId,
  type DatabaseTable,
  type SearchedTable,
} from '../../../domain/stores/database.js';
import { keyTextSql, sqlName } from '../../../domain/stores/database-schema.js';
import {
  csvNoted,
  unknownIn,
  withNotes,
  searchNoted,
  type RequestedSource,
  type DatabaseNotes,
} from '../../../domain/stores/database-import.js';
import {
  longestKey,
  longestName,
  possibleKeys,
  rowNumber,
  searchedTable,
  textColumns,
  type TextFigures,
} from '../../../domain/stores/searched-tables.js';
import { UserError } from '../../../domain/user-error.js';
import { jsonText, readJsonFile, writeFileAtomically } from '../../../storage/atomic-file.js';
import { contentOfFile } from '../../../storage/stores/local-copies.js';
import { recoverSqlite } from '../sqlite/library.js';
import { copyDuckdb, holdsPapers, importTableFiles, leftOutOf, withDuckdb } from './duckdb-file.js';
import { databaseIdOf, locate, readNotes, type LocatedSource } from './located-source.js';
import { importScript } from './sql-script.js';
import { sqliteFileOf, tablesOfSqlite, withSqlite, type MadeDatabase } from './sqlite-file.js';

/** A database with the tables of papers is refused where somebody asked for that. */
export class HoldsPapersError extends UserError {}

/**
 * Imports a database into its folder in TURNWISE_HOME, unless it is there. The folder appears complete or not at all. Throws
 * UserError with one sentence that names the source.
 */
export async function importDatabase(
  home: string,
  source: RequestedSource['source'],
  unlessPapers = false,
): Promise<DatabaseDescriptionFile> {
  const located = await locate(source);
  if (unlessPapers && located.kind === 'duckdb' && (await holdsPapers(located.path))) {
    throw new HoldsPapersError(`${located.path} holds papers`);
  }
  const id = await databaseIdOf(located);
  const known = await imported(home, id);
  if (known) return known;

  const folder = join(home, databaseFolder(id));
  const draft = join(dirname(folder), draftName(id));
  await rm(draft, { recursive: true, force: true });
  await mkdir(join(draft, 'source'), { recursive: true });
  try {
    const { name, engine } = located;
    const file = join(draft, databaseFileName(engine));
    const { tables, notes, ...leftOut } = await describedTables(
      located,
      join(draft, 'source'),
      file,
    );
    // Stores alone search, and theirs are databases of DuckDB.
    const searched =
      engine === 'sqlite'
        ? []
        : await withDuckdb(file, (connection) => findSearchedTables(connection, tables, notes));
    const content = await contentOfFile(file);
    const description = { id, name, engine, tables, searched, content, ...leftOut };
    await rm(join(draft, 'source'), { recursive: true });
    await writeFileAtomically(join(draft, 'database.json'), jsonText(description));
    await publish(home, id, draft);
    return description;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Null if it is missing or damaged. */
async function imported(home: string, id: DatabaseId): Promise<DatabaseDescriptionFile | null> {
  const json = await readJsonFile(join(home, databaseDescriptionFile(id)));
  const described = databaseDescriptionSchema.safeParse(json).data;
  const isThere = described && existsSync(join(home, importedDatabaseFile(id, described.engine)));
  return isThere ? described : null;
}

/** Another process may have imported the same database meanwhile: the first one stays. */
async function publish(home: string, id: DatabaseId, draft: string): Promise<void> {
  const folder = join(home, databaseFolder(id));
  if (!(await imported(home, id))) await rm(folder, { recursive: true, force: true });
  await rename(draft, folder).catch(async (error: unknown) => {
    if (!(await imported(home, id))) throw error;
  });
}

async function describedTables(
  source: LocatedSource,
  folder: string,
  file: string,
): Promise<{
  readonly tables: readonly DatabaseTable[];
  readonly notes: readonly DatabaseNotes[];
  readonly leftOut?: readonly string[];
}> {
  const name = 'path' in source ? source.path : 'the inline database';
  const notes = await readNotes(source);
  const said = notes.map((each) => each.notes);
  const tables = await readTables(source, { name, folder, file }, said);
  // A database of SQLite stays as it is, with its views.
  const leftOut = source.engine === 'sqlite' ? [] : await withDuckdb(file, leftOutOf);
  if (tables.length === 0) {
    const others = leftOut.length > 0 ? ` in its schema main, but ${leftOut.join(', ')}` : '';
    throw new UserError(`${name} holds no tables${others}`);
  }
  for (const { file, notes: said, exact } of notes) {
    const unknown = exact ? unknownIn(said, tables) : [];
    if (unknown.length > 0) {
      throw new UserError(
        `${file} describes what the database does not have: ${unknown.join(', ')}`,
      );
    }
  }
  return { tables: withNotes(tables, said), notes: said, ...(leftOut.length > 0 && { leftOut }) };
}

async function readTables(
  source: LocatedSource,
  made: MadeDatabase,
  notes: readonly DatabaseNotes[],
): Promise<readonly DatabaseTable[]> {
  switch (source.kind) {
    case 'duckdb':
      return copyDuckdb(source.path, made.file);
    case 'sqlite':
      return readSqlite(source.path, made);
    case 'table-files':
      return importTableFiles(source.files, made.file, (table) => ({
        ...csvNoted(notes, table),
        ...source.csv,
      }));
    case 'script':
      return importScript(await readFile(source.path, 'utf8'), made);
    case 'inline':
      return importScript(source.script, made);
  }
}

/** Reads a copy, so that nothing is written beside the database, and no other program changes it meanwhile. */
async function readSqlite(path: string, made: MadeDatabase): Promise<readonly DatabaseTable[]> {
  const copy = sqliteFileOf(made);
  await copyFile(path, copy, constants.COPYFILE_FICLONE);
  for (const rest of ['-wal', '-journal']) {
    if (existsSync(`${path}${rest}`)) await copyFile(`${path}${rest}`, `${copy}${rest}`);
  }
  await recoverSqlite(copy);
  return withSqlite(copy, (database) => tablesOfSqlite(database, made));
}

const draftName = (id: DatabaseId): string => `.${id}.${hostname()}.${process.pid}`;

/** Removes what processes of this machine left that were killed during an import. */
export async function removeAbandonedDrafts(home: string): Promise<void> {
  const folder = join(home, 'databases');
  for (const name of await readdir(folder).catch(() => [])) {
    const [, host, pid] = /^\.[0-9a-f]{32}\.(.+)\.(\d+)$/.exec(name) ?? [];
    if (host !== hostname() || isAlive(Number(pid))) continue;
    await rm(join(folder, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Reads all texts of the tables, and says which of them a store makes searchable. */
async function findSearchedTables(
  connection: DuckDBConnection,
  tables: readonly DatabaseTable[],
  notes: readonly DatabaseNotes[],
): Promise<readonly SearchedTable[]> {
  const found: SearchedTable[] = [];
  for (const table of tables) {
    const chosen = (column: string): boolean | undefined => searchNoted(notes, table.name, column);
    const columns = textColumns(table, chosen).filter(fitsName);
    if (columns.length === 0 || !fitsName(table.name)) continue;
    const figures = await figuresOf(connection, table.name, columns);
    const searched = searchedTable(table.name, await keyOf(connection, table), figures, chosen);
    if (searched !== null) found.push(searched);
  }
  return found;
}

const fitsName = (name: string): boolean => Buffer.byteLength(name) <= longestName;

/** Long texts are judged by their beginning. Scripts without blanks between words count each sign. */
const wordsOf = (column: string): string =>
  `len(regexp_extract_all(left(${column}, 1000), '\\p{Han}|\\p{Hiragana}|\\p{Katakana}|\\p{Thai}|\\S*\\pL\\S*'))`;

const rowsSchema = z.array(
  z.object({ cells: z.number(), distinct: z.number(), words: z.number().nullable() }),
);

async function figuresOf(
  connection: DuckDBConnection,
  table: string,
  columns: readonly string[],
): Promise<readonly TextFigures[]> {
  const figures: TextFigures[] = [];
  for (const column of columns) {
    const name = sqlName(column);
    const reader = await connection.runAndReadAll(
      `SELECT count(*)::DOUBLE AS cells, approx_count_distinct(${name})::DOUBLE AS "distinct",
              avg(${wordsOf(name)})::DOUBLE AS words
       FROM ${sqlName(table)} WHERE trim(${name}) <> ''`,
    );
    const [row] = rowsSchema.parse(reader.getRowObjectsJson());
    if (row) figures.push({ ...row, column, words: row.words ?? 0 });
  }
  return figures;
}

/** The first key that tells all rows apart; null if there is none. SQLite, and scripts, may declare one that does not. */
async function keyOf(
  connection: DuckDBConnection,
  table: DatabaseTable,
): Promise<readonly string[] | null> {
  const isHidden = table.columns.some(({ name }) => name.toLowerCase() === rowNumber);
  for (const key of possibleKeys(table)) {
    if (key[0] === rowNumber && !isHidden) return key;
    const names = key.map(sqlName);
    const text = keyTextSql(key);
    const reader = await connection.runAndReadAll(
      `SELECT count(*) = count(DISTINCT ${text}) AND max(strlen(${text})) <= ${longestKey}
              AND bool_and(${names.map((name) => `${name} IS NOT NULL`).join(' AND ')})
       FROM ${sqlName(table.name)}`,
    );
    if (reader.getRows()[0]?.[0] === true) return key;
  }
  return null;
}
