import { z } from 'zod';
import { fileContentSchema } from '../../file-content.js';
import { conflictPolicySchema, type ConflictPolicy } from '../add-papers.js';
import { ingestionSchema, pageCountsSchema, type IngestPapersResult } from '../ingestion.js';
import type { PaperRows } from '../paper-tables.js';

/** Papers that another system has read, on the machine of the command. All paths are absolute. */
export interface ImportSource {
  /** A DuckDB file with the eight tables. */
  readonly database: string | null;
  /** A fitted model, `bm25.json`. */
  readonly bm25: string | null;
  /** Folders with `processed_data/ID.json`, `metadata/ID.json` and `papers/…/ID.pdf`, or some of them. */
  readonly folders: readonly string[];
}

/** What an import has of one paper. */
export interface FoundPaper {
  readonly paperId: string;
  /** From the database, where it has some. */
  readonly rows: PaperRows | null;
  /** The contents of `processed_data/ID.json` and `metadata/ID.json`. */
  readonly processed: string | null;
  readonly metadata: string | null;
  /** The path of its PDF. */
  readonly pdf: string | null;
}

/** What may be missing in papers that are imported nevertheless. */
const gapKindSchema = z.enum([
  /** Pages, of those that the paper says it has. */
  'pages',
  /** All passages, or all sections. */
  'chunks',
  'sections',
  'pdf',
  /** Rows without a key of their own, or of no paper: they are left out. */
  'rows',
  /** Rows whose page is missing: they are kept without one. */
  'pages-of-rows',
  /** Texts that the other system has cut. */
  'ends-of-texts',
]);
export type GapKind = z.infer<typeof gapKindSchema>;

/** What is missing in a paper, by kind. */
export type Gaps = Readonly<Partial<Record<GapKind, number>>>;

const gapSchema = z.object({
  kind: gapKindSchema,
  count: z.int().positive(),
  papers: z.int().nonnegative(),
  /** The first paper, or the table of rows of no paper. */
  example: z.string(),
});
export type Gap = Readonly<z.infer<typeof gapSchema>>;

/** Adds lists of gaps by kind. */
export function addGaps(...lists: readonly (readonly Gap[])[]): readonly Gap[] {
  const sums = new Map<GapKind, Gap>();
  for (const gap of lists.flat()) {
    const known = sums.get(gap.kind);
    const sum = {
      count: (known?.count ?? 0) + gap.count,
      papers: (known?.papers ?? 0) + gap.papers,
    };
    sums.set(gap.kind, { ...(known ?? gap), ...sum });
  }
  return [...sums.values()];
}

export const gapsOfPaper = (paperId: string, gaps: Gaps): readonly Gap[] =>
  gapKindSchema.options.flatMap((kind) => {
    const count = gaps[kind] ?? 0;
    return count > 0 ? [{ kind, count, papers: 1, example: paperId }] : [];
  });

const importPapersInputSchema = z.object({
  ingestion: ingestionSchema,
  /** Of the texts of the store. */
  embedder: z.string(),
  onConflict: conflictPolicySchema,
  /** State carried through continue-as-new; absent at the start. */
  progress: pageCountsSchema
    .extend({ nextPage: z.int(), gaps: z.array(gapSchema).readonly() })
    .optional(),
});
export type ImportPapersInput = Readonly<z.infer<typeof importPapersInputSchema>>;

/** Papers of a page, whose rows are in memory together. */
export const papersPerPage = 100;

/** Ids of imported papers never change: the newer data of a paper takes the place of the older. */
export const importConflictPolicy: ConflictPolicy = 'replace';

/** A paper goes by the file name of its PDF, or by its id where it could not be read. */
export interface ImportPapersResult extends IngestPapersResult {
  readonly gaps: readonly Gap[];
}

/** A file of an import, copied into the storage. */
const givenPartSchema = fileContentSchema.extend({
  /** Where it was, for messages. An absolute path. */
  given: z.string(),
  /** Where its copy is in the storage. */
  copy: z.string(),
});
export type GivenPart = Readonly<z.infer<typeof givenPartSchema>>;

/** The index of what an import was given, in the folder of its ingestion. */
export const givenImportFile = 'given.json';

/** The files by the ids of their papers. */
const partsOfPapersSchema = z.record(z.string(), givenPartSchema).readonly();

export const givenImportSchema = z.object({
  database: givenPartSchema.nullable(),
  bm25: givenPartSchema.nullable(),
  processed: partsOfPapersSchema,
  metadata: partsOfPapersSchema,
  pdfs: partsOfPapersSchema,
});
export type GivenImport = Readonly<z.infer<typeof givenImportSchema>>;
