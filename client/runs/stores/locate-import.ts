import { readdirSync, statSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import type { ImportSource } from '../../../domain/stores/ingestion.js';
import { tableFile } from '../../../domain/stores/database.js';
import { UserError } from '../../../domain/user-error.js';

/** What there is to import, as far as the names of files and folders tell. Paths are absolute. */
type LocatedImport =
  | { readonly kind: 'papers'; readonly source: ImportSource }
  /** A file, or a folder of files with a table each. Only the tables of a DuckDB database tell whether they are about papers. */
  | { readonly kind: 'database'; readonly path: string };

const foldersOfPapers = ['processed_data', 'metadata', 'papers'];
const paperModel = 'bm25.json';
const databaseFile = /\.(duckdb|sqlite3?|db)$/i;

interface Part {
  /** As the command line names it. */
  readonly given: string;
  readonly databases: readonly string[];
  /** A folder of tables. */
  readonly tables: readonly string[];
  readonly models: readonly string[];
  readonly papers: readonly string[];
}

/** Tells papers from databases. Throws UserError where there is neither, or where both may be meant. */
export function locateImport(paths: readonly string[]): LocatedImport {
  const parts = paths.map(partOf);
  const papers = parts.filter((part) => part.models.length > 0 || part.papers.length > 0);
  const [paperPart] = papers;
  if (paperPart !== undefined) return locatePapers(parts, paperPart);

  const found = parts.flatMap(({ databases, tables }) => [...databases, ...tables]);
  const [path, ...others] = found;
  if (path === undefined) {
    throw new UserError(
      `there is nothing to import in ${paths.join(', ')}: neither papers (a .duckdb file or a folder processed_data) nor a database (of DuckDB or SQLite, files of CSV, JSON lines or Parquet)`,
    );
  }
  if (others.length > 0) {
    throw new UserError(`import one database at a time, not ${found.join(' and ')}`);
  }
  return { kind: 'database', path };
}

function locatePapers(parts: readonly Part[], { given }: Part): LocatedImport {
  const other = parts.find((part) => part.tables.length > 0);
  if (other !== undefined) {
    throw new UserError(
      other.given === given
        ? `${given} holds papers and tables: name the one or the other in it`
        : `${given} holds papers and ${other.given} holds tables: import one after the other, into a store each`,
    );
  }
  const databases = parts.flatMap((part) => part.databases).filter(isDuckdb);
  const models = parts.flatMap((part) => part.models);
  const folders = parts.flatMap((part) => part.papers);
  const [database, ...others] = databases;
  if (others.length > 0) {
    throw new UserError(`import one database at a time, not ${databases.join(' and ')}`);
  }
  if (models.length > 1) {
    throw new UserError(`give one BM25 model, not ${models.join(' and ')}`);
  }
  const hasPapers =
    database !== undefined || folders.some((folder) => namesIn(folder).includes('processed_data'));
  if (!hasPapers) {
    throw new UserError(
      `there are no papers to import in ${parts.map((part) => part.given).join(', ')}: neither a .duckdb file nor a folder processed_data`,
    );
  }
  const source = { database: database ?? null, bm25: models[0] ?? null, folders };
  return { kind: 'papers', source };
}

/** The papers of a database alone. */
export const papersOf = (database: string): ImportSource => ({ database, bm25: null, folders: [] });

const isDuckdb = (path: string): boolean => extname(path) === '.duckdb';

function partOf(given: string): Part {
  const path = resolve(given);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw new UserError(`there is no file or folder ${given}`);
  const nothing = { given, databases: [], tables: [], models: [], papers: [] };
  if (/\.pdf$/i.test(path))
    throw new UserError(`${given} is a PDF: \`turnwise store add\` reads it`);
  if (!stat.isDirectory()) {
    return basename(path) === paperModel
      ? { ...nothing, models: [path] }
      : { ...nothing, databases: [path] };
  }
  const names = namesIn(path);
  const inFolder = (name: string): string => join(path, name);
  const hasPapers = names.some((name) => name === paperModel || foldersOfPapers.includes(name));
  // Papers have JSON files of their own beside them.
  const isTable = (name: string): boolean =>
    tableFile.test(name) && !(hasPapers && /\.json(\.gz)?$/i.test(name));
  return {
    given,
    databases: names.filter((name) => databaseFile.test(name)).map(inFolder),
    tables: names.some(isTable) ? [path] : [],
    models: names.filter((name) => name === paperModel).map(inFolder),
    papers: names.some((name) => foldersOfPapers.includes(name)) ? [path] : [],
  };
}

const namesIn = (folder: string): readonly string[] => readdirSync(folder).sort();
