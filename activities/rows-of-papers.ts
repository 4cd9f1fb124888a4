import type { StoreName } from '../domain/ids.js';
import { paperRows } from '../domain/papers/paper-rows.js';
import type { PaperRows } from '../domain/papers/paper-tables.js';
import type { StoredPaper } from '../domain/stores/store-manifest.js';
import type { PaperFilesPort } from './ports/paper-files.js';
import { PortFailure } from './ports/port-failure.js';

export interface DerivedPaper {
  readonly stored: StoredPaper;
  readonly rows: PaperRows;
}

/** The rows of one paper that was read before. Throws PortFailure('StoreMissing') where nothing was kept of it. */
export async function rowsOfPaper(
  paperFiles: PaperFilesPort,
  store: StoreName,
  sha256: string,
): Promise<DerivedPaper> {
  const kept = await paperFiles.kept(store, sha256);
  if (kept === null) {
    throw new PortFailure(
      'StoreMissing',
      `Store ${store} has lost what it read from the PDF with SHA-256 ${sha256}: ingest that PDF again.`,
    );
  }
  const rows = paperRows(kept);
  const [metadata] = rows.metadata;
  if (!metadata?.paper_id) throw new Error(`${kept.file} became rows without metadata.`);
  const { paper_id: paperId, title } = metadata;
  return {
    stored: { paperId, title: title ?? '', file: kept.file, sha256, pages: rows.pages.length },
    rows,
  };
}

/** Holds one paper in memory at a time. */
export async function* rowsOfPapers(
  paperFiles: PaperFilesPort,
  store: StoreName,
  papers: readonly StoredPaper[],
  signal: AbortSignal,
): AsyncGenerator<DerivedPaper> {
  for (const { sha256 } of papers) {
    signal.throwIfAborted();
    yield await rowsOfPaper(paperFiles, store, sha256);
  }
}
