import type { Bm25 } from './bm25.js';
import { encodableCells, encodablePictures } from './database-schema.js';
import {
  paperTables,
  type PaperRows,
  type PaperTableName,
  type TableSpec,
} from './paper-tables.js';
import type { Findings } from './store-check.js';
import type { Modality, StoredPaper } from './store-manifest.js';

const tableNames = Object.keys(paperTables) as readonly PaperTableName[]; // the keys of the literal

/** Of a paper of which nothing is left. */
export const noRows: PaperRows = {
  metadata: [],
  pages: [],
  images: [],
  chunks: [],
  tables: [],
  sections: [],
  equations: [],
  reference: [],
};

export const countRows = (rows: PaperRows): number =>
  tableNames.reduce((sum, table) => sum + rows[table].length, 0);

/**
 * Compares the rows of a paper, table by table.
 * @param derived - from the paper's text
 * @param stored - in the database
 */
export function compareRows(
  paper: StoredPaper,
  derived: PaperRows,
  stored: PaperRows,
  { add }: Findings,
): void {
  for (const table of tableNames) {
    const rest = new Map(stored[table].map((row) => [keyOf(table, row), row]));
    for (const row of derived[table]) {
      const key = keyOf(table, row);
      const found = rest.get(key);
      rest.delete(key);
      if (found === undefined) add('rows-missing', table, paper, key);
      else if (!isSameRow(table, row, found)) add('rows-changed', table, paper, key);
    }
    for (const key of rest.keys()) add('rows-extra', table, paper, key);
  }
}

type Row = Readonly<Record<string, unknown>>;

const keyOf = (table: PaperTableName, row: Row): string =>
  String(row[(paperTables[table] as TableSpec).primaryKey]);

const isSameRow = (table: PaperTableName, one: Row, other: Row): boolean =>
  Object.keys(paperTables[table].columns).every(
    (column) => storedText(one[column]) === storedText(other[column]),
  );

/** As JSON, with what UTF-8 cannot hold replaced as DuckDB replaces it. */
const storedText = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'string' ? part.toWellFormed() : part,
  );

/** Identifies a cell. Where a long cell has several vectors, they all name the same one. */
export interface CellRef {
  readonly table: string;
  readonly column: string;
  readonly primaryKey: string;
}

/** `text` is empty for a picture. */
export type EncodedCell = CellRef & { readonly text: string };

/** The cells of a paper that collections of a modality are made from. */
export const cellsOf = (rows: PaperRows, modality: Modality): readonly EncodedCell[] =>
  modality === 'text'
    ? encodableCells(rows)
    : encodablePictures(rows).map((picture) => ({ ...picture, text: '' }));

/**
 * Compares the cells of a paper with those that the vectors of one collection name.
 * @param hasVector - whether a text becomes a vector: one without a term of the BM25 model does not
 */
export function compareCells(
  collection: string,
  paper: StoredPaper,
  cells: readonly EncodedCell[],
  entries: readonly CellRef[],
  hasVector: (text: string) => boolean,
  { add }: Findings,
): void {
  const wanted = new Set(cells.map(placeOf));
  const held = new Map(entries.map((entry) => [placeOf(entry), entry]));
  for (const cell of cells) {
    if (held.has(placeOf(cell)) || !hasVector(cell.text)) continue;
    add('vectors-missing', whereOf(collection, cell), paper, cell.primaryKey);
  }
  for (const [place, entry] of held) {
    if (wanted.has(place)) continue;
    add('vectors-extra', whereOf(collection, entry), paper, entry.primaryKey);
  }
}

const placeOf = ({ table, column, primaryKey }: CellRef): string =>
  `${table} ${column} ${primaryKey}`;

export const whereOf = (collection: string, { table, column }: CellRef): string =>
  `${collection} ${table}.${column}`;

/** Compares what the manifest says of a paper with what is kept of it. */
export function comparePaper(paper: StoredPaper, kept: StoredPaper, { add }: Findings): void {
  const pairs = [
    ['paper id', paper.paperId, kept.paperId],
    ['title', paper.title, kept.title],
    ['pages', paper.pages, kept.pages],
    ['file', paper.file, kept.file],
    ['enrichment', paper.enrichment?.digest, kept.enrichment?.digest],
  ] as const;
  for (const [what, said, found] of pairs) {
    if (said !== found)
      add('paper-changed', 'store.json', paper, `${what} ${String(said ?? 'none')}`);
  }
}

/** Whether two models weigh the same words alike. */
export const isSameBm25 = (one: Bm25, other: Bm25): boolean =>
  one.corpus_size === other.corpus_size &&
  one.avgdl === other.avgdl &&
  one.k1 === other.k1 &&
  one.b === other.b &&
  one.epsilon === other.epsilon &&
  isSameList(one.idf_word, other.idf_word) &&
  isSameList(one.idf_value, other.idf_value);

const isSameList = <T>(one: readonly T[], other: readonly T[]): boolean =>
  one.length === other.length && one.every((item, index) => item === other[index]);
