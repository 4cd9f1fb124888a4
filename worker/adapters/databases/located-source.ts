import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parse } from 'yaml';
import { readCsv } from '../../../domain/formats/csv.js';
import { firstIssue, jsonIn } from '../../../domain/formats/json.js';
import {
  databaseImportVersion,
  birdNotes,
  databaseNotesSchema,
  referenceSchemaSchema,
  type RequestedSource,
  type DatabaseNotes,
} from '../../../domain/stores/database-import.js';
import type { CsvSettings } from '../../../domain/stores/csv-table.js';
import {
  databaseIdSchema,
  tableFile,
  type DatabaseId,
  type Engine,
} from '../../../domain/stores/database.js';
import { UserError } from '../../../domain/user-error.js';
import { isAbsence } from '../../../storage/atomic-file.js';

/** A source as it lies on the disk. */
type Place = {
  /** Of the database. */
  readonly name: string;
  /** Files that describe it. */
  readonly noteFiles: readonly string[];
  /** As the dataset says; of its tables the notes say it. */
  readonly csv?: CsvSettings | undefined;
} & (
  | { readonly kind: 'duckdb' | 'sqlite' | 'script'; readonly path: string }
  | { readonly kind: 'table-files'; readonly files: readonly string[] }
  | { readonly kind: 'inline'; readonly script: string }
);

/** With the engine in which its tables will be. */
export type LocatedSource = Place & { readonly engine: Engine };

/** Finds out by content what a source is. Throws UserError naming a path that is no database. */
export async function locate(source: RequestedSource['source']): Promise<LocatedSource> {
  if ('ddl' in source) {
    const { ddl, rows, engine = 'duckdb' } = source;
    const script = `${ddl};\n${rows}`;
    return { kind: 'inline', name: 'database', noteFiles: [], script, engine };
  }
  const { path, csv } = source;
  const found = await locateFile(path, csv);
  const { engine = found.kind === 'sqlite' ? 'sqlite' : 'duckdb' } = source;
  if (engine === 'sqlite' && found.kind !== 'sqlite' && found.kind !== 'script') {
    throw new UserError(
      `${path} cannot have the engine sqlite: only a file of SQLite, or a script`,
    );
  }
  return { ...found, engine };
}

async function locateFile(path: string, csv: CsvSettings | undefined): Promise<Place> {
  const stats = await stat(path).catch((error: unknown) => {
    throw new UserError(`${path} ${isAbsence(error) ? 'does not exist' : 'cannot be read'}`);
  });
  const table = tableFile.exec(basename(path))?.[1];
  const name = stats.isDirectory() ? basename(path) : (table ?? basename(path, extname(path)));
  if (stats.isDirectory()) {
    const files = await tableFiles(path);
    return { kind: 'table-files', name, files, csv, noteFiles: await noteFiles(name, path, path) };
  }
  if (stats.size === 0) throw new UserError(`${path} is empty`);
  const beside = await noteFiles(name, path, dirname(path));
  if (table !== undefined)
    return { kind: 'table-files', name, files: [path], csv, noteFiles: beside };
  return { kind: await kindOfFile(path), name, path, noteFiles: beside };
}

async function kindOfFile(path: string): Promise<'duckdb' | 'sqlite' | 'script'> {
  if (/\.sql$/i.test(path)) return 'script';
  const handle = await open(path).catch(() => {
    throw new UserError(`${path} cannot be read`);
  });
  try {
    const { buffer } = await handle.read(Buffer.alloc(16), 0, 16, 0);
    const head = buffer.toString('latin1');
    if (head === 'SQLite format 3\0') return 'sqlite';
    if (head.slice(8, 12) === 'DUCK') return 'duckdb';
  } finally {
    await handle.close();
  }
  throw new UserError(
    `${path} is no database of DuckDB or SQLite, or it is encrypted; a script must be named .sql, a table .csv, .tsv, .json, .jsonl or .parquet`,
  );
}

async function tableFiles(folder: string): Promise<readonly string[]> {
  const files = (await readdir(folder)).filter((name) => tableFile.test(name)).sort();
  const areTables = await Promise.all(files.map((name) => mayBeTable(join(folder, name))));
  const names = files.filter((_, index) => areTables[index]);
  if (names.length === 0) throw new UserError(`${folder} holds no CSV, JSON or Parquet file`);
  const seen = new Map<string, string>();
  for (const name of names) {
    const table = tableFile.exec(name)?.[1]?.toLowerCase() ?? name;
    const other = seen.get(table);
    if (other !== undefined) {
      throw new UserError(`${folder}: ${other} and ${name} would make the same table`);
    }
    if ((await stat(join(folder, name))).size === 0) {
      throw new UserError(`${join(folder, name)} is empty`);
    }
    seen.set(table, name);
  }
  return names.map((name) => join(folder, name));
}

/** Other JSON files than lists and lines of objects describe something. */
async function mayBeTable(path: string): Promise<boolean> {
  if (!/\.json$/i.test(path)) return true;
  const text = await readFile(path, 'utf8');
  return /^\s*\[\s*\{/.test(text) || jsonIn(text.trimStart().split('\n', 1)[0] ?? '') !== undefined;
}

/** `NAME.yaml`, `NAME.yml` or `NAME.json` beside the source, and the files of BIRD's folder `database_description`. */
async function noteFiles(name: string, path: string, folder: string): Promise<readonly string[]> {
  const birdFolder = join(folder, 'database_description');
  const bird = (await namesIn(birdFolder)).filter((each) => /\.csv$/i.test(each)).sort();
  const possible = ['yaml', 'yml', 'json'].map((ending) => `${name}.${ending}`);
  const beside = (await namesIn(dirname(path))).filter((each) => possible.includes(each));
  const files = beside.map((each) => join(dirname(path), each)).filter((each) => each !== path);
  return [...bird.map((each) => join(birdFolder, each)), ...files];
}

const namesIn = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => []);

/** The files that the content of a source consists of. */
const filesOf = (source: LocatedSource): readonly string[] => {
  switch (source.kind) {
    case 'duckdb':
      return [source.path, `${source.path}.wal`];
    case 'sqlite':
      return [source.path, `${source.path}-wal`, `${source.path}-journal`];
    case 'script':
      return [source.path];
    case 'table-files':
      return source.files;
    case 'inline':
      return [];
  }
};

/** The id of the database that a source makes. It reads all bytes of the source and of its descriptions. */
export async function databaseIdOf(source: LocatedSource): Promise<DatabaseId> {
  const hash = createHash('sha256');
  const begin = (...head: readonly string[]): void => void hash.update(`${JSON.stringify(head)}\n`);
  begin(String(databaseImportVersion), source.kind, source.name);
  if (source.engine === 'sqlite') begin(source.engine);
  if (source.kind === 'inline') begin(source.script);
  if (source.csv !== undefined) begin(JSON.stringify(source.csv));
  for (const file of [...filesOf(source), ...source.noteFiles]) {
    const stats = await stat(file).catch(() => null);
    if (stats === null) continue;
    begin(basename(file), String(stats.size));
    await pipeline(createReadStream(file, { highWaterMark: 2 ** 20 }), hash, { end: false });
  }
  return databaseIdSchema.parse(hash.digest('hex').slice(0, 32));
}

interface ReadNotes {
  readonly file: string;
  readonly notes: DatabaseNotes;
  /** Whether a name that the database does not have is a flaw: BIRD's files have many. */
  readonly exact: boolean;
}

/**
 * Throws UserError naming a YAML file that does not describe tables. Other JSON files, and CSV files without BIRD's columns, add
 * nothing.
 */
export async function readNotes(source: LocatedSource): Promise<readonly ReadNotes[]> {
  const read = source.noteFiles.map(async (file): Promise<ReadNotes | null> => {
    const text = textOf(await readFile(file));
    if (/\.(yaml|yml|json)$/.test(file)) {
      const notes = describedNotes(file, text);
      return notes && { file, notes, exact: true };
    }
    const csv = readCsv(text, ',');
    const cells = csv.kind === 'records' ? csv.records.map((record) => record.cells) : [];
    const notes = birdNotes(basename(file, extname(file)), cells);
    return notes && { file, notes, exact: false };
  });
  return (await Promise.all(read)).filter((each) => each !== null);
}

/** A JSON file may hold anything else. */
function describedNotes(file: string, text: string): DatabaseNotes | null {
  const isJson = file.endsWith('.json');
  let value: unknown;
  try {
    value = isJson ? JSON.parse(text) : parse(text);
  } catch {
    if (isJson) return null;
    throw new UserError(`${file} is not YAML`);
  }
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const isReference = keys.includes('database_schema');
  if (isJson && !isReference && !keys.includes('tables')) return null;
  const notes = (isReference ? referenceSchemaSchema : databaseNotesSchema).safeParse(value);
  if (notes.success) return notes.data;
  throw new UserError(`${file} does not describe tables: ${firstIssue(notes.error)}`);
}

/** Some of BIRD's files are in Windows-1252. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
