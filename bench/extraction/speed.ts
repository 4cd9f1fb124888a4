import { readFileSync } from 'node:fs';
import { extractPaper } from '../../domain/extraction/extract-paper.js';
import { readPdf } from '../../worker/adapters/pdfium/document.js';
import { shareCompiledPdfium } from '../../worker/adapters/pdfium/module.js';
import { bareText } from './bare-text.js';
import type { PaperFile } from './papers.js';

/** Pages a second in one thread, with a PDFium that is started. */
export interface Speed {
  readonly papers: number;
  readonly pages: number;
  /** `FPDFText_GetText` of every page. */
  readonly bare: number;
  readonly reader: number;
  readonly readerAndExtraction: number;
}

/** Enough for a stable figure. */
const mostPapers = 12;
/** The first one lets V8 compile PDFium's functions. Of the others the fastest counts, which other load on the machine has met least. */
const rounds = 4;

/** Measures papers from all over the list, each in all ways by turns. */
export async function measureSpeed(files: readonly PaperFile[]): Promise<Speed> {
  const step = Math.max(1, Math.ceil(files.length / mostPapers));
  const chosen = files.filter((_, index) => index % step === 0);
  // As threads of an ingestion have it: V8 goes on compiling what is used often.
  await shareCompiledPdfium();
  const totals = { bare: 0, reader: 0, whole: 0 };
  let pages = 0;
  for (const { pdf } of chosen) {
    const bytes = readFileSync(pdf);
    const fastest = { bare: Infinity, reader: Infinity, whole: Infinity };
    const ways = {
      bare: () => bareText(bytes),
      reader: () => readPdf(bytes),
      whole: async () => {
        const reading = await readPdf(bytes);
        if (reading.kind === 'read') extractPaper(reading.content);
      },
    } as const;
    for (let round = 0; round < rounds; round += 1) {
      for (const way of ['bare', 'reader', 'whole'] as const) {
        const ms = await timed(ways[way]);
        if (round > 0) fastest[way] = Math.min(fastest[way], ms);
      }
    }
    pages += (await bareText(bytes)).length;
    for (const way of ['bare', 'reader', 'whole'] as const) {
      totals[way] += fastest[way];
    }
  }
  const perSecond = (ms: number): number => (1000 * pages) / ms;
  return {
    papers: chosen.length,
    pages,
    bare: perSecond(totals.bare),
    reader: perSecond(totals.reader),
    readerAndExtraction: perSecond(totals.whole),
  };
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}
