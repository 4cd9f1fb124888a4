import { readFile } from 'node:fs/promises';
import { parentPort } from 'node:worker_threads';
import { extractPaper } from '../../../domain/extraction/extract-paper.js';
import { readPdf } from './document.js';
import { pdfiumJobSchema, type PaperReading, type PdfiumJob, type PdfProgress } from './job.js';
import { PdfiumMemoryFull } from './module.js';
import { drawPage, type PageDrawing } from './draw-page.js';

// The entry of a thread that does the jobs it is sent, one at a time.
parentPort?.on('message', (message: unknown) => {
  const job = pdfiumJobSchema.parse(message);
  // What it throws ends the thread.
  void readFile(job.path)
    .then((bytes) => perform(job, bytes))
    .then((result) => parentPort?.postMessage(result));
});

async function perform(task: PdfiumJob, bytes: Uint8Array): Promise<PaperReading | PageDrawing> {
  const at: { page: number | null } = { page: null };
  try {
    if (task.kind === 'draw') return await drawPage(bytes, task);
    const reading = await readPdf(bytes, {
      givenUp: new Map(task.givenUp),
      memoryMb: task.pdfiumMb,
      keepsScans: task.keepsScans,
      onPage: (page) => {
        at.page = page;
        parentPort?.postMessage({ kind: 'progress', page } satisfies PdfProgress);
      },
    });
    return reading.kind === 'read'
      ? { kind: 'read', paper: extractPaper(reading.content) }
      : reading;
  } catch (error) {
    if (error instanceof PdfiumMemoryFull) {
      return task.kind === 'draw'
        ? { kind: 'undrawable', reason: 'the page needs too much memory' }
        : { kind: 'pdfium-full', page: at.page };
    }
    if (!isDamage(error)) throw error;
    const reason = 'is damaged in a way that stops PDFium';
    if (task.kind === 'draw') return { kind: 'undrawable', reason: `the PDF ${reason}` };
    return at.page === null
      ? { kind: 'unreadable', reason }
      : { kind: 'broken-page', page: at.page, reason: `it ${reason}` };
  }
}

/** A trap inside PDFium, an exhausted stack or exhausted memory is caused by the file. Other errors are our own. */
function isDamage(error: unknown): boolean {
  // WebAssembly.RuntimeError by its name, since the types of Node 20 do not declare the global.
  return error instanceof Error && ['RuntimeError', 'RangeError'].includes(error.name);
}
