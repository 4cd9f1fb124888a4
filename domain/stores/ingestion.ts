import { v5 as uuid5 } from 'uuid';
import { z } from 'zod';
import { fileContentSchema } from '../file-content.js';
import { storeNameSchema, type StoreName } from '../ids.js';
import { conflictPolicySchema, type ConflictPolicy } from './add-papers.js';
import type { StoredDatabase } from './database.js';
import { parserSchema, sourcesText } from './paper-parsers.js';
import { extractionVersion, paperSchemaVersion, type PaperRows } from './paper-tables.js';
import { storeFolder, type StoredPaper, type StoreManifest } from './store-manifest.js';

const failedFileSchema = z.object({ file: z.string(), reason: z.string() });
export type FailedFile = Readonly<z.infer<typeof failedFileSchema>>;

/** A PDF and the SHA-256 of its bytes, in hex. */
const pdfFileSchema = z.object({ file: z.string(), sha256: z.string() });
export type PdfFile = Readonly<z.infer<typeof pdfFileSchema>>;

/**
 * The files of an ingestion are written in pages of so many, and handled page by page: a payload of Temporal holds 2 MB, and
 * a path may have 4 KB.
 */
export const filesPerPage = 200;

/** A PDF that was given, by its absolute path, and the SHA-256 of its bytes; or why it cannot be opened. */
const givenFileSchema = z.union([pdfFileSchema, failedFileSchema]);
export type GivenFile = Readonly<z.infer<typeof givenFileSchema>>;
export const filePageSchema = z.array(givenFileSchema);

/** A page of files, by what has to be done with them. */
export const ingestionPlanSchema = z.object({
  /** PDFs that are new to the store, or were read by another version of the extraction. Each once. */
  fresh: z.array(pdfFileSchema).readonly(),
  unchanged: z.array(z.string()).readonly(),
  /** Files that cannot be opened. */
  failed: z.array(failedFileSchema).readonly(),
});
export type IngestionPlan = Readonly<z.infer<typeof ingestionPlanSchema>>;

/** Of a page: PDFs that cannot be read. */
export const failedFilesSchema = z.array(failedFileSchema);

/** The SHA-256 of PDFs that were left out because a paper has their title. */
export const ignoredPdfsSchema = z.array(z.string());

/** The folder of an ingestion, in that of its store. It holds the files below. */
export const ingestionsFolder = 'ingestions';
export const filePageFile = (page: number): string => `files.${page}.json`;
export const isFilePage = (name: string): boolean => /^files\.\d+\.json$/.test(name);
export const planFile = (page: number): string => `plan.${page}.json`;
export const failuresFile = (page: number): string => `failed.${page}.json`;
export const ignoredFile = 'ignored.json';

/** Names an ingestion. What it is given and what it comes to is in its folder, and not in payloads. */
export const ingestionSchema = z.object({ store: storeNameSchema, id: z.uuid() });
export type Ingestion = Readonly<z.infer<typeof ingestionSchema>>;

/** Where the folders of the ingestions into a store are, in the storage. */
export const ingestionsOf = (store: StoreName): string =>
  `${storeFolder(store)}/${ingestionsFolder}`;
export const ingestionFolder = ({ store, id }: Ingestion): string => `${ingestionsOf(store)}/${id}`;

/** How many files of the pages so far have been read now, were there already, and cannot be used. */
const pageCountsSchema = z.object({ read: z.int(), unchanged: z.int(), failed: z.int() });
export type PageCounts = Readonly<z.infer<typeof pageCountsSchema>>;
export const noneYet: PageCounts = { read: 0, unchanged: 0, failed: 0 };

export const addCounts = (one: PageCounts, other: PageCounts): PageCounts => ({
  read: one.read + other.read,
  unchanged: one.unchanged + other.unchanged,
  failed: one.failed + other.failed,
});

export const ingestPapersInputSchema = z.object({
  ingestion: ingestionSchema,
  /** The number of its pages of files. */
  pages: z.int().positive(),
  /** Parsers that read the PDFs too. @defaultValue those whose files lie beside them */
  parsers: z.array(parserSchema).readonly().optional(),
  /** Of the texts of the store. */
  embedder: z.string(),
  /** Whether PDFs without text are papers, too. @defaultValue false */
  keepsScans: z.boolean().optional(),
  /** @defaultValue `keep-both` */
  onConflict: conflictPolicySchema.optional(),
  /** State carried through continue-as-new; absent at the start. */
  progress: pageCountsSchema.extend({ nextPage: z.int() }).optional(),
});
export type IngestPapersInput = Readonly<z.infer<typeof ingestPapersInputSchema>>;

/** What has become of the files of an ingestion. Papers in `read` are not in the store yet. */
export interface IngestionProgress {
  readonly read: readonly PdfFile[];
  readonly unchanged: readonly string[];
  readonly failed: readonly FailedFile[];
}

/** A page whose PDFs have been read. */
export interface ReadPage {
  readonly plan: IngestionPlan;
  readonly failed: readonly FailedFile[];
}

/** What the pages come to together. A PDF that an earlier page had under another name is unchanged. */
export function ingestionProgress(pages: readonly ReadPage[]): IngestionProgress {
  const read = new Map<string, PdfFile>();
  const unchanged: string[] = [];
  const failed: FailedFile[] = [];
  for (const { plan, failed: unreadable } of pages) {
    const failures = new Set(unreadable.map(({ file }) => file));
    for (const pdf of plan.fresh.filter(({ file }) => !failures.has(file))) {
      if (read.has(pdf.sha256)) unchanged.push(pdf.file);
      else read.set(pdf.sha256, pdf);
    }
    unchanged.push(...plan.unchanged);
    failed.push(...plan.failed, ...unreadable);
  }
  return { read: [...read.values()], unchanged, failed };
}

/** The result of an ingestion. @param ignored - SHA-256 of PDFs that were left out because a paper has their title */
export function ingestionResult(
  { read, unchanged, failed }: IngestionProgress,
  ignored: readonly string[],
): IngestPapersResult {
  const left = new Set(ignored);
  const files = (isLeft: boolean): readonly string[] =>
    read.filter(({ sha256 }) => left.has(sha256) === isLeft).map(({ file }) => file);
  return {
    ingested: [...files(false)],
    unchanged: [...unchanged, ...files(true)],
    failed: [...failed],
  };
}

/** Every given file is in exactly one of the lists. */
export interface IngestPapersResult {
  /** Absolute paths of PDFs that are new in the store. */
  readonly ingested: readonly string[];
  /** Absolute paths of PDFs that the store already has, of duplicates, and of those ignored because of their titles. */
  readonly unchanged: readonly string[];
  readonly failed: readonly FailedFile[];
}

/** The task queue on which PDFs are read: a worker takes as many at a time as it has cores, and leaves the rest to others. */
export const readingQueue = (taskQueue: string): string => `${taskQueue}/pdfs`;

/** All that a worker of `taskQueue` polls. */
export const taskQueuesOf = (taskQueue: string): readonly string[] => [
  taskQueue,
  readingQueue(taskQueue),
];

/**
 * The fingerprint of a store's content. If it is unchanged, the store need not be rebuilt.
 * @param embedders - names of the embedders of its collections
 * @param givenBm25 - of the manifest
 */
export function storeFingerprint(
  papers: readonly Pick<StoredPaper, 'sha256' | 'enrichment' | 'parsers'>[],
  embedders: readonly string[],
  givenBm25?: string,
): string {
  const parts = [
    `schema ${paperSchemaVersion}`,
    `extraction ${extractionVersion}`,
    ...embedders,
    ...(givenBm25 === undefined ? [] : [`bm25 ${givenBm25}`]),
    ...papers
      .map(({ sha256, enrichment, parsers = [] }) =>
        [sha256, enrichment?.digest ?? '', sourcesText(parsers)].join(' ').trim(),
      )
      .sort(),
  ];
  return uuid5(parts.join('\n'), uuid5.DNS);
}

/** The same of a store that holds a database. */
export const databaseFingerprint = (
  { id, sha256 }: Pick<StoredDatabase, 'id' | 'sha256'>,
  embedders: readonly string[],
): string => uuid5(['database', id, sha256, ...embedders].join('\n'), uuid5.DNS);

/** The fingerprint that a store of this version has. */
export function fingerprintOf({ papers, database, collections, givenBm25 }: StoreManifest): string {
  const embedders = collections.map(({ embedder }) => embedder);
  return database === undefined
    ? storeFingerprint(papers, embedders, givenBm25)
    : databaseFingerprint(database, embedders);
}

/**
 * The manifest of the next generation, before its collections exist.
 * @param key - for a new store; an existing store keeps its key
 */
export function draftManifest(
  store: StoreManifest['name'],
  previous: StoreManifest | null,
  papers: readonly StoredPaper[],
  {
    key: newKey,
    embedders,
    builtAt,
    givenBm25,
  }: {
    readonly key: string;
    readonly embedders: readonly string[];
    readonly builtAt: string;
    readonly givenBm25?: string | undefined;
  },
): StoreManifest {
  return {
    name: store,
    key: previous?.key ?? newKey,
    generation: (previous?.generation ?? 0) + 1,
    fingerprint: storeFingerprint(papers, embedders, givenBm25),
    ...(givenBm25 === undefined ? {} : { givenBm25 }),
    builtAt,
    papers: [...papers],
    collections: [],
    files: {},
  };
}

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

export const importPapersInputSchema = z.object({
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
