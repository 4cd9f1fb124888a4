import { v5 as uuid5 } from 'uuid';
import { z } from 'zod';
import { storeNameSchema } from '../ids.js';
import { extractionVersion } from './pdf-document.js';
import { paperSchemaVersion } from './paper-tables.js';
import type { StoredPaper, StoreManifest } from './store-manifest.js';

const failedFileSchema = z.object({ file: z.string(), reason: z.string() });
export type FailedFile = Readonly<z.infer<typeof failedFileSchema>>;

/** A PDF and the SHA-256 of its bytes, in hex. */
const pdfFileSchema = z.object({ file: z.string(), sha256: z.string() });
export type PdfFile = Readonly<z.infer<typeof pdfFileSchema>>;

/** What became of the files so far; those that were `read` are not in the store yet. */
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
  /** Carried from the ingestion's earlier history; absent at its start. */
  progress: ingestionProgressSchema.optional(),
});
export type IngestPapersInput = Readonly<z.infer<typeof ingestPapersInputSchema>>;

/** Sorts out which files of a page have to be read, and adds the others to what is known. */
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

/** The result, once the tables have been built and some papers were `refused` there. */
export function ingestionResult(
  { read, unchanged, failed }: IngestionProgress,
  refused: readonly RefusedPaper[],
): IngestPapersResult {
  const reasons = new Map(refused.map(({ sha256, reason }) => [sha256, reason]));
  return {
    ingested: read.filter(({ sha256 }) => !reasons.has(sha256)).map(({ file }) => file),
    unchanged: [...unchanged],
    failed: [
      ...failed,
      ...read.flatMap(({ file, sha256 }) => {
        const reason = reasons.get(sha256);
        return reason === undefined ? [] : [{ file, reason }];
      }),
    ],
  };
}

/** Every file that was given is in exactly one of the lists. */
export const ingestPapersResultSchema = z.object({
  /** Absolute paths of PDFs that are new in the store. */
  ingested: z.array(z.string()),
  /** Absolute paths of PDFs the store holds already, and of second copies of a PDF. */
  unchanged: z.array(z.string()),
  failed: z.array(failedFileSchema),
});
export type IngestPapersResult = Readonly<z.infer<typeof ingestPapersResultSchema>>;

/**
 * What a store of these papers would answer by. Equal fingerprints: nothing to build.
 * @param embedders - names of the embedders of its collections
 */
export function storeFingerprint(
  papers: readonly Pick<StoredPaper, 'sha256'>[],
  embedders: readonly string[],
): string {
  const parts = [
    `schema ${paperSchemaVersion}`,
    `extraction ${extractionVersion}`,
    ...embedders,
    ...papers.map(({ sha256 }) => sha256).sort(),
  ];
  return uuid5(parts.join('\n'), uuid5.DNS);
}

/**
 * Adds papers to those of a store. Papers have one id when their titles are the same: the paper that was there
 * first stays, and the other one is refused, since nobody can say which of the two is meant.
 */
export function addPapers(
  present: readonly StoredPaper[],
  added: readonly StoredPaper[],
): { readonly papers: readonly StoredPaper[]; readonly refused: readonly RefusedPaper[] } {
  const papers = new Map(present.map((paper) => [paper.paperId, paper]));
  const refused: RefusedPaper[] = [];
  for (const paper of added) {
    const holder = papers.get(paper.paperId);
    if (holder === undefined) papers.set(paper.paperId, paper);
    else if (holder.sha256 !== paper.sha256) refused.push(refusal(paper, holder));
  }
  return { papers: [...papers.values()], refused };
}

export interface RefusedPaper {
  readonly sha256: string;
  readonly reason: string;
}

const refusal = ({ sha256, file }: StoredPaper, holder: StoredPaper): RefusedPaper => ({
  sha256,
  reason: `${file} has the title of ${holder.file}, which the store holds: '${holder.title}'. Leave one of the two out.`,
});

/**
 * The manifest of the next generation, before its collections are there.
 * @param key - of a store that is new; others keep theirs
 */
export function draftManifest(
  store: StoreManifest['name'],
  previous: StoreManifest | null,
  papers: readonly StoredPaper[],
  {
    key: newKey,
    embedders,
    builtAt,
  }: {
    readonly key: string;
    readonly embedders: readonly string[];
    readonly builtAt: string;
  },
): StoreManifest {
  return {
    name: store,
    key: previous?.key ?? newKey,
    generation: (previous?.generation ?? 0) + 1,
    fingerprint: storeFingerprint(papers, embedders),
    builtAt,
    papers: [...papers],
    collections: [],
  };
}
