import type { StoreName } from '../../domain/ids.js';
import { extractionVersion } from '../../domain/stores/extracted-paper.js';
import { reportingFailures, whileHeartbeating } from '../failures.js';
import type { PaperFilesPort, PdfPort } from '../ports/stores.js';

export interface ReadPaperInput {
  readonly store: StoreName;
  /** Absolute path. */
  readonly file: string;
  readonly sha256: string;
}

/** Reads a PDF, unless its text is kept with the store, and keeps its text there. */
export function createReadPaper({
  paperFiles,
  pdf,
}: {
  readonly paperFiles: PaperFilesPort;
  readonly pdf: PdfPort;
}): (input: ReadPaperInput) => Promise<{ readonly pages: number }> {
  return ({ store, file, sha256 }) =>
    reportingFailures(() =>
      whileHeartbeating(async (signal) => {
        const kept = await paperFiles.kept(store, sha256);
        const hasCopy = (await paperFiles.pdf(store, sha256)) !== null;
        if (kept !== null && 'rows' in kept) {
          if (!hasCopy) await paperFiles.keep(store, kept, file);
          return { pages: kept.rows.pages.length };
        }
        if (kept !== null && hasCopy) return { pages: kept.paper.pages.length };
        const paper = await pdf.read(file, signal);
        await paperFiles.keep(store, {
          version: extractionVersion,
          file: file.split(/[\\/]/).at(-1) ?? file,
          path: file,
          sha256,
          paper,
        });
        return { pages: paper.pages.length };
      }),
    );
}

/** Whether a store has what was read from a PDF, or imported, and a copy of the PDF, if there was one. */
export async function isKept(
  paperFiles: PaperFilesPort,
  store: StoreName,
  sha256: string,
): Promise<boolean> {
  const kept = await paperFiles.kept(store, sha256);
  return kept !== null && (kept.path === null || (await paperFiles.pdf(store, sha256)) !== null);
}
