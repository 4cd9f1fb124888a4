import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename } from 'node:path';
import { Worker } from 'node:worker_threads';
import { PortFailure } from '../../activities/ports/port-failure.js';
import type { PdfPort } from '../../activities/ports/pdf.js';
import type { PdfReading } from './pdfium-document.js';

/** Reads PDFs with PDFium, each in a thread of its own that is ended after `limitMs`. */
export function createPdfiumPdf({
  limitMs = 120_000,
  thread = new URL('./pdfium-thread.js', import.meta.url),
}: {
  /** @defaultValue two minutes: a thousand pages take about 40 s */
  readonly limitMs?: number;
  /** Where the compiled thread is; beside this module unless that runs uncompiled. */
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
      const reading = await inThread(
        thread,
        path,
        AbortSignal.any([signal, AbortSignal.timeout(limitMs)]),
      );
      signal.throwIfAborted();
      switch (reading.kind) {
        case 'read':
          return reading.document;
        case 'unreadable':
          return refuse(reading.reason);
        case 'ended':
          return refuse(`is not read after ${limitMs / 1000} s`);
      }
    },
  };
}

function inThread(
  thread: URL,
  path: string,
  end: AbortSignal,
): Promise<PdfReading | { readonly kind: 'ended' }> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(thread, { workerData: { path } });
    const stop = (): void => {
      resolve({ kind: 'ended' });
      void worker.terminate();
    };
    end.addEventListener('abort', stop, { once: true });
    worker.once('message', (reading: PdfReading) => resolve(reading)); // what pdfium-thread.ts posts
    worker.once('error', reject);
    worker.once('exit', (code) => {
      end.removeEventListener('abort', stop);
      reject(new Error(`The thread that read ${path} ended with ${code} and without a result.`));
    });
  });
}
