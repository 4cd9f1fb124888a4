import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename } from 'node:path';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { PdfPort } from '../../../activities/ports/stores.js';
import { inPdfiumThread, type PaperReading, type PdfiumJob } from './job.js';

/** More pages than this are hardly ever broken in a file that is worth reading; each costs a second thread. */
const mostGivenUp = 5;

/**
 * Reads PDFs with PDFium, each in a thread of its own. A page that takes too long or stops PDFium is given up: a new thread
 * reads the PDF without it.
 */
export function createPdfiumPdf({
  limitMs = 120_000,
  pageLimitMs = 30_000,
  keepsScans = false,
  thread = new URL('./pdfium-thread.js', import.meta.url),
}: {
  /** The most time to open a PDF and to interpret its pages. @defaultValue two minutes; 5,000 pages take about one */
  readonly limitMs?: number;
  /** The most time to read a page. @defaultValue 30 s */
  readonly pageLimitMs?: number;
  /** Whether a PDF without any text that can be used is read like others. @defaultValue false */
  readonly keepsScans?: boolean;
  /** The compiled thread. @defaultValue beside this module */
  readonly thread?: URL;
} = {}): PdfPort {
  return {
    read: async (path, signal) => {
      signal.throwIfAborted();
      const refuse = (reason: string): never => {
        throw new PortFailure('UnreadablePdf', `${basename(path)} cannot be read: it ${reason}.`);
      };
      const readable = await access(path, constants.R_OK).then(
        () => true,
        () => false,
      );
      if (!readable) return refuse('does not exist or may not be opened');
      const givenUp = new Map<number, string>();
      for (;;) {
        const reading = await readWithout(path, givenUp, signal);
        signal.throwIfAborted();
        switch (reading.kind) {
          case 'read':
            return reading.paper;
          case 'unreadable':
            return refuse(reading.reason);
          case 'ended':
            return refuse(`is not read after ${limitMs / 1000} s`);
          case 'broken-page':
            if (givenUp.size === mostGivenUp) {
              return refuse(`has more than ${mostGivenUp} pages that cannot be read`);
            }
            givenUp.set(reading.page, reading.reason);
        }
      }
    },
  };

  async function readWithout(
    path: string,
    givenUp: ReadonlyMap<number, string>,
    signal: AbortSignal,
  ): Promise<PaperReading | { readonly kind: 'ended' }> {
    const late = new AbortController();
    const at: { page: number | null } = { page: null };
    let timer = setTimeout(() => late.abort(), limitMs);
    const job: PdfiumJob = { kind: 'read', path, givenUp: [...givenUp], keepsScans };
    try {
      const reading = await inPdfiumThread(
        thread,
        job,
        AbortSignal.any([signal, late.signal]),
        ({ page }) => {
          at.page = page;
          clearTimeout(timer);
          timer = setTimeout(() => late.abort(), page === null ? limitMs : pageLimitMs);
        },
      );
      if (reading.kind !== 'ended' || at.page === null) return reading;
      return {
        kind: 'broken-page',
        page: at.page,
        reason: `it takes more than ${pageLimitMs / 1000} s`,
      };
    } finally {
      clearTimeout(timer);
    }
  }
}
