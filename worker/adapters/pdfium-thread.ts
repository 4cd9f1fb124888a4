import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { readPdf, type PdfReading } from './pdfium-document.js';

// The entry of a thread that reads one PDF and ends: PDFium's memory goes with it, and so does whatever a file did to it.
const { path } = z.object({ path: z.string() }).parse(workerData);
parentPort?.postMessage(await readPdf(await readFile(path)).catch(damage));

/** A trap inside PDFium, or its stack or memory exhausted, is the file's doing; anything else is ours. */
function damage(error: unknown): PdfReading {
  // WebAssembly.RuntimeError by its name, since the types of Node 20 do not declare the global.
  if (error instanceof Error && ['RuntimeError', 'RangeError'].includes(error.name)) {
    return { kind: 'unreadable', reason: 'is damaged in a way that stops PDFium' };
  }
  throw error;
}
