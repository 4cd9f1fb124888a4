import { readFileSync } from 'node:fs';
import { extractPaper } from '../../domain/extraction/extract-paper.js';
import { readPdf } from '../../worker/adapters/pdfium/document.js';
import { loadPdfium } from '../../worker/adapters/pdfium/module.js';
import { bareText } from './bare-text.js';
import type { PaperFile } from './papers.js';

/** Pages a second in one thread. The start of PDFium is not counted, since each of them pays for it. */
export interface Speed {
  readonly papers: number;
  readonly pages: number;
  /** `FPDFText_GetText` of every page. */
  readonly bare: number;
  readonly reader: number;
  readonly readerAndExtraction: number;
}

/** Enough for a stable figure. */
const mostPapers = 30;

/** Measures papers from all over the list, each in all ways by turns, so that other load on the machine affects them equally. */
export async function measureSpeed(files: readonly PaperFile[]): Promise<Speed> {
  const step = Math.max(1, files.length / mostPapers);
  const chosen = files.filter(
    (_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step),
  );
  const times = { start: 0, bare: 0, reader: 0, whole: 0 };
  let pages = 0;
  // The first paper is measured twice: the first time warms up.
  for (const [index, { pdf }] of [...chosen.slice(0, 1), ...chosen].entries()) {
    const bytes = readFileSync(pdf);
    const start = await timed(loadPdfium);
    const bare = await timed(() => bareText(bytes));
    const reader = await timed(() => readPdf(bytes));
    const whole = await timed(async () => {
      const reading = await readPdf(bytes);
      if (reading.kind === 'read') extractPaper(reading.content);
      return reading;
    });
    if (index === 0 || reader.result.kind === 'unreadable') continue;
    pages += reader.result.content.pages.length;
    times.start += start.ms;
    times.bare += bare.ms;
    times.reader += reader.ms;
    times.whole += whole.ms;
  }
  const perSecond = (ms: number): number => (1000 * pages) / (ms - times.start);
  return {
    papers: chosen.length,
    pages,
    bare: perSecond(times.bare),
    reader: perSecond(times.reader),
    readerAndExtraction: perSecond(times.whole),
  };
}

async function timed<T>(
  run: () => Promise<T>,
): Promise<{ readonly ms: number; readonly result: T }> {
  const start = performance.now();
  const result = await run();
  return { ms: performance.now() - start, result };
}
