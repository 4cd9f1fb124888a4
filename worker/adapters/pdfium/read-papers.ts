import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { PdfPort } from '../../../activities/ports/stores.js';
import { createSemaphore } from '../duckdb/pool.js';
import { timeLimit } from '../time-limit.js';
import type { Incomplete, PaperReading, PdfiumJob } from './job.js';
import { createPdfiumThreads, type PdfiumThreads } from './threads.js';

/** More pages than this are hardly ever broken in a file that is worth reading; each costs a second thread. */
const mostGivenUp = 5;

/** PDFium holds a file whole, and so does the thread that hands it over. */
const largestFileMb = 200;

/**
 * For the objects of a thread, and again for PDFium beside the file. A full page takes about 0.4 MB of objects. Nearly every
 * paper is read with the former, and one at a time with the latter, so that a worker stays under 1.5 GB.
 */
const [usualMemoryMb, mostMemoryMb] = [192, 512];

/**
 * Reads PDFs with PDFium in threads. A page that takes too long or stops PDFium is given up: a new thread reads the PDF
 * without it. A PDF that needs much memory is read again, beside no other such one.
 */
export function createPdfiumPdf({
  limitMs = 120_000,
  pageLimitMs = 30_000,
  fileLimitMs = 3_600_000,
  memoryMb = [usualMemoryMb, mostMemoryMb],
  thread = new URL('./pdfium-thread.js', import.meta.url),
}: {
  /** The most time to open a PDF and to interpret its pages. @defaultValue two minutes; 5,000 pages take about one */
  readonly limitMs?: number;
  /** The most time to read a page. @defaultValue 30 s */
  readonly pageLimitMs?: number;
  /** The most time for everything. @defaultValue an hour */
  readonly fileLimitMs?: number;
  /** The most memory for the objects of a thread, and for PDFium: at first, and alone. @defaultValue 192 and 512 MB */
  readonly memoryMb?: readonly [usual: number, most: number];
  /** The compiled thread. @defaultValue beside this module */
  readonly thread?: URL;
} = {}): PdfPort {
  const [usualMb, mostMb] = memoryMb;
  const usual = createPdfiumThreads({ thread, memoryMb: usualMb });
  // What it has taken is given back at once.
  const large = createPdfiumThreads({ thread, memoryMb: mostMb, idleMs: 0 });
  const alone = createSemaphore(1);
  return {
    read: async (path, signal, { name = basename(path), keepsScans = false } = {}) => {
      signal.throwIfAborted();
      const refuse = (reason: string): never => {
        throw new PortFailure('UnreadablePdf', `${name} cannot be read: it ${reason}.`);
      };
      const bytes = await readableBytes(path);
      if (bytes === null) return refuse('does not exist or may not be opened');
      if (bytes > largestFileMb * 1e6) return refuse(`is larger than ${largestFileMb} MB`);
      const tooLate = timeLimit(fileLimitMs);
      const end = AbortSignal.any([signal, tooLate]);
      const givenUp = new Map<number, string>();
      let isLarge = false;
      const giveUp = (page: number, reason: string): void => {
        if (givenUp.size === mostGivenUp) {
          refuse(`has more than ${mostGivenUp} pages that cannot be read`);
        }
        givenUp.set(page, reason);
      };
      for (;;) {
        const reading = isLarge
          ? await alone(
              () => readWithout({ path, keepsScans }, givenUp, large, mostMb, end),
              signal,
            )
          : await readWithout({ path, keepsScans }, givenUp, usual, usualMb, end);
        signal.throwIfAborted();
        switch (reading.kind) {
          case 'read':
            return reading.paper;
          case 'unreadable':
            return refuse(reading.reason);
          case 'ended':
            return refuse(
              `is not read after ${(tooLate.aborted ? fileLimitMs : limitMs) / 1000} s`,
            );
          case 'out-of-memory':
          case 'pdfium-full': {
            const page = reading.kind === 'pdfium-full' ? reading.page : null;
            const reason = `needs more than ${mostMb} MB of memory`;
            if (isLarge && page === null) return refuse(reason);
            if (isLarge && page !== null) giveUp(page, `it ${reason}`);
            isLarge = true;
            break;
          }
          case 'broken-page':
            giveUp(reading.page, reading.reason);
        }
      }
    },
  };

  async function readWithout(
    { path, keepsScans }: { readonly path: string; readonly keepsScans: boolean },
    givenUp: ReadonlyMap<number, string>,
    threads: PdfiumThreads,
    mb: number,
    end: AbortSignal,
  ): Promise<PaperReading | Incomplete> {
    const late = new AbortController();
    const at: { page: number | null } = { page: null };
    let timer = setTimeout(() => late.abort(), limitMs);
    const job: PdfiumJob = { kind: 'read', path, givenUp: [...givenUp], pdfiumMb: mb, keepsScans };
    try {
      const reading = await threads(job, AbortSignal.any([end, late.signal]), ({ page }) => {
        at.page = page;
        clearTimeout(timer);
        timer = setTimeout(() => late.abort(), page === null ? limitMs : pageLimitMs);
      });
      if (reading.kind !== 'ended' || at.page === null || end.aborted) return reading;
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

/** The size of a file; null if it cannot be read. */
async function readableBytes(path: string): Promise<number | null> {
  try {
    await access(path, constants.R_OK);
    return (await stat(path)).size;
  } catch {
    return null;
  }
}
