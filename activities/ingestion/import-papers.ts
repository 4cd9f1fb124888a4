import type { StoreName } from '../../domain/ids.js';
import type { ImportedPaper } from '../../domain/stores/paper-tables.js';
import {
  addGaps,
  gapsOfPaper,
  papersPerPage,
  type FoundPaper,
  type Gap,
  type FailedFile,
  type Ingestion,
  type PageCounts,
  type PdfFile,
} from '../../domain/stores/ingestion.js';
import {
  usableRows,
  metadataRow,
  processedRows,
  type UsableRows,
} from '../../domain/stores/imports/processed-data.js';
import { reportingFailures, whileHeartbeating } from '../failures.js';
import type { PaperImportsPort } from '../ports/imports.js';
import type { EmbeddersPort } from '../ports/model.js';
import { PortFailure } from '../ports/port-failure.js';
import type {
  IngestionFilesPort,
  PaperFilesPort,
  PdfPort,
  StoreWriterPort,
} from '../ports/stores.js';
import { requireReady } from './embedder.js';
import { sha256Of } from './given-bm25.js';
import { keptPaper } from './paper-source.js';
import type { PageOfFiles } from './plan-ingestion.js';

interface ImportingPorts {
  readonly embedders: EmbeddersPort;
  readonly imports: PaperImportsPort;
  readonly ingestionFiles: IngestionFilesPort;
  readonly paperFiles: PaperFilesPort;
  readonly pdf: PdfPort;
  readonly storeWriter: StoreWriterPort;
}

/** Checks that what was given can be read at all, and counts its papers by the page. */
export function createPlanImport({
  imports,
}: Pick<ImportingPorts, 'imports'>): (input: {
  readonly ingestion: Ingestion;
}) => Promise<{ readonly pages: number; readonly gaps: readonly Gap[] }> {
  return ({ ingestion }) =>
    reportingFailures(() =>
      whileHeartbeating(async () => {
        await imports.bm25(ingestion);
        const { papers, gaps } = await imports.papers(ingestion);
        return { pages: Math.ceil(papers.length / papersPerPage), gaps };
      }),
    );
}

/**
 * Keeps the rows of a page of papers with the store, and the PDFs that are there, and saves what became of them. They go by
 * the names of their PDFs; those that failed by their ids. Fails with `EmbedderMissing` like `planIngestion`.
 */
export function createImportPapers(
  ports: ImportingPorts,
): (input: PageOfFiles) => Promise<PageCounts & { readonly gaps: readonly Gap[] }> {
  return ({ ingestion, page, embedder }) =>
    reportingFailures(() =>
      whileHeartbeating(async (signal) => {
        const { store } = ingestion;
        const { papers } = await ports.imports.papers(ingestion);
        const ids = papers.slice((page - 1) * papersPerPage, page * papersPerPage);
        const found = await ports.imports.read(ingestion, ids);
        const manifest = await ports.storeWriter.manifest(store);
        const present = new Set(manifest?.papers.map(({ sha256 }) => sha256));
        const fresh: PdfFile[] = [];
        const unchanged: string[] = [];
        const failed: FailedFile[] = [];
        let gaps: readonly Gap[] = [];
        for (const paper of found) {
          signal.throwIfAborted();
          const described = await describe(ports, paper, signal);
          if ('reason' in described) {
            failed.push({ file: paper.paperId, reason: described.reason });
            continue;
          }
          const kept = await imported(ports, store, paper, described.rows);
          const { file, path, sha256 } = kept;
          const hasPdf = path !== null;
          const missing = { ...described.gaps, pdf: hasPdf ? 0 : 1 };
          gaps = addGaps(gaps, gapsOfPaper(paper.paperId, missing));
          if (present.has(sha256) && (await isUnchanged(ports, store, kept))) {
            unchanged.push(file);
            continue;
          }
          if (fresh.length === 0 && embedder !== undefined) {
            await requireReady(ports.embedders(embedder), signal);
          }
          await ports.paperFiles.keep(store, kept, kept.path);
          fresh.push({ file, sha256 });
        }
        await ports.ingestionFiles.savePlan(ingestion, page, { fresh, unchanged, failed });
        return {
          read: fresh.length,
          unchanged: unchanged.length,
          failed: failed.length,
          gaps,
        };
      }),
    );
}

/** The rows of a paper, or in one sentence why there are none. */
async function describe(
  { pdf }: ImportingPorts,
  paper: FoundPaper,
  signal: AbortSignal,
): Promise<UsableRows | { readonly reason: string }> {
  const { paperId, rows, processed, metadata } = paper;
  if (rows !== null) {
    if (rows.metadata.length > 0) return withMetadata(paper, usableRows(rows));
    if (metadata === null) return { reason: 'No row of table metadata is about it.' };
    const row = metadataRow(paperId, metadata);
    return 'reason' in row ? row : usableRows({ ...rows, metadata: [row] });
  }
  if (processed === null) return { reason: 'Nothing describes it.' };
  if (paper.pdf === null) {
    return { reason: `The text of its pages needs its PDF, papers/…/${paperId}.pdf.` };
  }
  try {
    return withMetadata(
      paper,
      processedRows({ ...paper, processed }, await pdf.read(paper.pdf, signal), paper.pdf),
    );
  } catch (error) {
    if (!(error instanceof PortFailure) || error.type !== 'UnreadablePdf') throw error;
    return { reason: error.message };
  }
}

function nullIfUnreadable(error: unknown): null {
  if (error instanceof PortFailure && error.type === 'UnreadablePdf') return null;
  throw error;
}

/** A paper needs an id that is one. */
const withMetadata = (
  { paperId }: FoundPaper,
  described: UsableRows | { readonly reason: string },
): UsableRows | { readonly reason: string } =>
  'reason' in described || described.rows.metadata[0]?.paper_id === paperId
    ? described
    : { reason: 'Its row of table metadata is damaged.' };

/** The PDF of another paper of the store stays that paper's: then this one is imported without. */
async function imported(
  { paperFiles }: ImportingPorts,
  store: StoreName,
  { paperId, pdf }: FoundPaper,
  rows: ImportedPaper['rows'],
): Promise<ImportedPaper> {
  const file = rows.metadata[0]?.pdf_path ?? `${paperId}.pdf`;
  const paper = { imported: 1, file, rows } as const;
  const sha256 = pdf && (await paperFiles.fingerprint(pdf).catch(nullIfUnreadable));
  if (pdf !== null && sha256 !== null) {
    const kept = await keptPaper(paperFiles, store, sha256);
    const other = kept !== null && 'rows' in kept ? kept.rows.metadata[0]?.paper_id : paperId;
    if (other === paperId) return { ...paper, path: pdf, sha256 };
  }
  return { ...paper, path: null, sha256: await sha256Of(JSON.stringify(rows)) };
}

async function isUnchanged(
  { paperFiles }: ImportingPorts,
  store: StoreName,
  paper: ImportedPaper,
): Promise<boolean> {
  const kept = await keptPaper(paperFiles, store, paper.sha256);
  if (kept === null || !('rows' in kept)) return false;
  if (paper.path !== null && (await paperFiles.pdf(store, paper.sha256)) === null) return false;
  return JSON.stringify(kept.rows) === JSON.stringify(paper.rows);
}
