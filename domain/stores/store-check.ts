import { z } from 'zod';
import { storeNameSchema } from '../ids.js';
import type { Bm25 } from './bm25.js';
import { databaseIdSchema } from './database.js';
import { encodableCells, encodablePictures } from './database-schema.js';
import {
  paperTables,
  type PaperRows,
  type PaperTableName,
  type TableSpec,
} from './paper-tables.js';
import type { StoredPaper, Modality } from './store-manifest.js';

/** What may disagree in a store, and what mends it: reading PDFs again, building a new generation, or removing leftovers. */
export const mendings = {
  /** Without it no row of the paper can be derived. */
  'text-lost': 'read',
  'pdf-lost': 'read',
  'pdf-changed': 'read',
  'tables-lost': 'build',
  'rows-missing': 'build',
  'rows-changed': 'build',
  'rows-extra': 'build',
  /** The manifest says something else of a paper than the paper's text. */
  'paper-changed': 'build',
  /** Built by another version of the extraction, the tables or the encoders. */
  outdated: 'build',
  'collection-missing': 'build',
  'vectors-missing': 'build',
  /** Their row does not exist, or the cell is empty. */
  'vectors-extra': 'build',
  /** The collection holds another number of vectors than the manifest says. */
  'vectors-miscounted': 'build',
  'bm25-lost': 'build',
  'bm25-changed': 'build',
  'collection-left': 'remove',
  'file-left': 'remove',
} as const;
export type FindingKind = keyof typeof mendings;

/** One kind of disagreement in one place. */
const findingSchema = z.object({
  kind: z.enum(Object.keys(mendings) as [FindingKind, ...FindingKind[]]),
  /** A table, `COLLECTION TABLE.COLUMN`, a collection, or a folder or file of the store. */
  where: z.string(),
  /** Of rows, cells, files or collections. */
  count: z.int().positive(),
  /** How many papers it concerns; 0 where it is about none that the store holds. */
  papers: z.int().nonnegative(),
  /** The first one: the file of its paper and a primary key, or a name. */
  example: z.string(),
});
export type Finding = Readonly<z.infer<typeof findingSchema>>;

/** What a check has compared, and the disagreements. */
const storeCheckSchema = z.object({
  /** The database that the store holds; null for a store of papers. */
  database: databaseIdSchema.nullable(),
  papers: z.int().nonnegative(),
  rows: z.int().nonnegative(),
  vectors: z.int().nonnegative(),
  findings: z.array(findingSchema).readonly(),
});
export type StoreCheck = Readonly<z.infer<typeof storeCheckSchema>>;

/** A paper of which a repair could not restore everything. */
const lostPaperSchema = z.object({
  paperId: z.guid(),
  title: z.string(),
  file: z.string(),
  /** `pdf`: the pictures of its pages. `text`: those, and its rows cannot be derived again. `import`: its imported rows. */
  lost: z.enum(['pdf', 'text', 'import']),
});
export type LostPaper = Readonly<z.infer<typeof lostPaperSchema>>;

export const checkStoreInputSchema = z.object({
  store: storeNameSchema,
  repair: z.boolean(),
  /** Of its texts, where it is built anew. */
  embedder: z.string(),
});
export type CheckStoreInput = Readonly<z.infer<typeof checkStoreInputSchema>>;

export const checkStoreResultSchema = z.object({
  found: storeCheckSchema,
  /** After a repair. Null where there was none. */
  left: storeCheckSchema.nullable(),
  /** At most 1,000. */
  lost: z.array(lostPaperSchema).readonly(),
});
export type CheckStoreResult = Readonly<z.infer<typeof checkStoreResultSchema>>;

/** Whether a repair must build a new generation. @param restored - papers whose text or PDF was restored */
export const isBuildNeeded = (
  { findings }: Pick<StoreCheck, 'findings'>,
  restored: number,
): boolean =>
  findings.some(({ kind }) => mendings[kind] === 'build' || (kind === 'text-lost' && restored > 0));

export interface Findings {
  /** @param paper - null where the store holds no such paper */
  readonly add: (
    kind: FindingKind,
    where: string,
    paper: Pick<StoredPaper, 'paperId' | 'file'> | null,
    detail: string,
    count?: number,
  ) => void;
  readonly has: (kind: FindingKind) => boolean;
  readonly list: () => readonly Finding[];
}

/** Counts disagreements by kind and place, so that its size does not grow with the store. Papers come one after another. */
export function newFindings(): Findings {
  const found = new Map<string, { readonly finding: Finding; readonly lastPaper: string | null }>();
  return {
    add: (kind, where, paper, detail, count = 1) => {
      const place = JSON.stringify([kind, where]);
      const known = found.get(place);
      const isNewPaper = paper !== null && paper.paperId !== known?.lastPaper;
      const example = [paper?.file, detail].filter((part) => part !== undefined && part !== '');
      const before = known?.finding ?? {
        ...{ kind, where, count: 0, papers: 0, example: example.join(' ') },
      };
      found.set(place, {
        finding: {
          ...before,
          count: before.count + count,
          papers: before.papers + (isNewPaper ? 1 : 0),
        },
        lastPaper: paper?.paperId ?? null,
      });
    },
    has: (kind) => [...found.values()].some(({ finding }) => finding.kind === kind),
    list: () => {
      const kinds = Object.keys(mendings);
      const findings = [...found.values()].map(({ finding }) => finding);
      return findings.sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
    },
  };
}

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
type EncodedCell = CellRef & { readonly text: string };

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
