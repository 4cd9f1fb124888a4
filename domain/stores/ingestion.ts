import { v5 as uuid5 } from 'uuid';
import { z } from 'zod';
import { storeNameSchema } from '../ids.js';
import { conflictPolicySchema } from './add-papers.js';
import type { StoredDatabase } from './database.js';
import { extractionVersion } from './extracted-paper.js';
import { parserSchema, sourcesText } from './paper-parsers.js';
import { paperSchemaVersion } from './paper-tables.js';
import type { StoredPaper, StoreManifest } from './store-manifest.js';

const failedFileSchema = z.object({ file: z.string(), reason: z.string() });
export type FailedFile = Readonly<z.infer<typeof failedFileSchema>>;

/** A PDF and the SHA-256 of its bytes, in hex. */
const pdfFileSchema = z.object({ file: z.string(), sha256: z.string() });
export type PdfFile = Readonly<z.infer<typeof pdfFileSchema>>;

/** The files processed so far. Papers in `read` are not in the store yet. */
export const ingestionProgressSchema = z.object({
  read: z.array(pdfFileSchema).readonly(),
  unchanged: z.array(z.string()).readonly(),
  failed: z.array(failedFileSchema).readonly(),
});
export type IngestionProgress = Readonly<z.infer<typeof ingestionProgressSchema>>;

export const ingestPapersInputSchema = z.object({
  store: storeNameSchema,
  /** Absolute paths of PDFs. */
  files: z.array(z.string()).readonly(),
  /** Parsers that read the PDFs too. @defaultValue those whose files lie beside them */
  parsers: z.array(parserSchema).readonly().optional(),
  /** @defaultValue `keep-both` */
  onConflict: conflictPolicySchema.optional(),
  /** Build the store anew from its present papers too. @defaultValue false */
  rebuild: z.boolean().optional(),
  /** With `rebuild`: only where that gives another store. @defaultValue false */
  ifChanged: z.boolean().optional(),
  /** State carried through continue-as-new; absent at the start. */
  progress: ingestionProgressSchema.optional(),
});
export type IngestPapersInput = Readonly<z.infer<typeof ingestPapersInputSchema>>;

/** Adds a planned page of files to the progress, and returns the files that must be read. */
export function addPlannedFiles(
  progress: IngestionProgress,
  planned: Pick<IngestionProgress, 'unchanged' | 'failed'> & { readonly fresh: readonly PdfFile[] },
): { readonly progress: IngestionProgress; readonly toRead: readonly PdfFile[] } {
  const read = new Set(progress.read.map(({ sha256 }) => sha256));
  const copies = planned.fresh.filter(({ sha256 }) => read.has(sha256));
  return {
    progress: {
      ...progress,
      unchanged: [...progress.unchanged, ...planned.unchanged, ...copies.map(({ file }) => file)],
      failed: [...progress.failed, ...planned.failed],
    },
    toRead: planned.fresh.filter(({ sha256 }) => !read.has(sha256)),
  };
}

export type PdfReadingOutcome =
  { readonly kind: 'read'; readonly pdf: PdfFile } | ({ readonly kind: 'failed' } & FailedFile);

export function addReadings(
  progress: IngestionProgress,
  outcomes: readonly PdfReadingOutcome[],
): IngestionProgress {
  const read = outcomes.flatMap((outcome) => (outcome.kind === 'read' ? [outcome.pdf] : []));
  const failed = outcomes.flatMap((outcome) =>
    outcome.kind === 'failed' ? [{ file: outcome.file, reason: outcome.reason }] : [],
  );
  return {
    ...progress,
    read: [...progress.read, ...read],
    failed: [...progress.failed, ...failed],
  };
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
export const ingestPapersResultSchema = z.object({
  /** Absolute paths of PDFs that are new in the store. */
  ingested: z.array(z.string()),
  /** Absolute paths of PDFs that the store already has, of duplicates, and of those ignored because of their titles. */
  unchanged: z.array(z.string()),
  failed: z.array(failedFileSchema),
});
export type IngestPapersResult = Readonly<z.infer<typeof ingestPapersResultSchema>>;

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
  };
}
