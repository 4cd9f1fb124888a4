import { existsSync } from 'node:fs';
import { copyFile, constants, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import type { RequestedSource } from '../../../domain/stores/database-import.js';
import { unknownIn, withNotes, type DatabaseNotes } from '../../../domain/stores/database-notes.js';
import {
  databaseDescriptionFile,
  databaseDescriptionSchema,
  databaseFolder,
  importedDatabaseFile,
  type DatabaseDescriptionFile,
  type DatabaseId,
  type DatabaseTable,
} from '../../../domain/stores/database.js';
import { UserError } from '../../../domain/user-error.js';
import { jsonText, readJsonFile, writeFileAtomically } from '../../../storage/atomic-file.js';
import { contentOfFile } from '../../../storage/stores/local-copies.js';
import { copyDuckdb, holdsPapers, importTableFiles, withDuckdb } from './duckdb-file.js';
import { databaseIdOf, locate, readNotes, type LocatedSource } from './located-source.js';
import { findSearchedTables } from './searched-tables.js';
import { importScript } from './sql-script.js';
import { copySqlite, withSqlite } from './sqlite-file.js';

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
    const { tables, notes } = await describedTables(located, draft);
    const searched = await withDuckdb(join(draft, 'data.duckdb'), (connection) =>
      findSearchedTables(connection, tables, notes),
    );
    const content = await contentOfFile(join(draft, 'data.duckdb'));
    const description = { id, name: located.name, tables, searched, content };
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
  if (!existsSync(join(home, importedDatabaseFile(id)))) return null;
  const json = await readJsonFile(join(home, databaseDescriptionFile(id)));
  return databaseDescriptionSchema.safeParse(json).data ?? null;
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
  draft: string,
): Promise<{
  readonly tables: readonly DatabaseTable[];
  readonly notes: readonly DatabaseNotes[];
}> {
  const name = 'path' in source ? source.path : 'the inline database';
  const notes = await readNotes(source);
  const tables = await readTables(source, name, draft);
  if (tables.length === 0) throw new UserError(`${name} holds no tables`);
  for (const { file, notes: said, exact } of notes) {
    const unknown = exact ? unknownIn(said, tables) : [];
    if (unknown.length > 0) {
      throw new UserError(
        `${file} describes what the database does not have: ${unknown.join(', ')}`,
      );
    }
  }
  const said = notes.map((each) => each.notes);
  return { tables: withNotes(tables, said), notes: said };
}

async function readTables(
  source: LocatedSource,
  name: string,
  draft: string,
): Promise<readonly DatabaseTable[]> {
  const file = join(draft, 'data.duckdb');
  const folder = join(draft, 'source');
  switch (source.kind) {
    case 'duckdb':
      return copyDuckdb(source.path, file);
    case 'sqlite':
      return readSqlite(source.path, join(folder, 'copy.sqlite'), file);
    case 'table-files':
      return importTableFiles(source.files, file);
    case 'script':
      return importScript(await readFile(source.path, 'utf8'), { name, folder, file });
    case 'inline':
      return importScript(source.script, { name, folder, file });
  }
}

/** Reads a copy, so that nothing is written beside the database, and no other program changes it meanwhile. */
async function readSqlite(
  path: string,
  copy: string,
  file: string,
): Promise<readonly DatabaseTable[]> {
  await copyFile(path, copy, constants.COPYFILE_FICLONE);
  for (const rest of ['-wal', '-journal']) {
    if (existsSync(`${path}${rest}`)) await copyFile(`${path}${rest}`, `${copy}${rest}`);
  }
  return withDuckdb(file, (target) =>
    withSqlite(copy, (database) => copySqlite(database, target, path)),
  );
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
