import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import type { Paper } from '../../../domain/extraction/paper.js';
import type { Unreadable } from './document.js';
import type { PageDrawing } from './draw-page.js';

/** The work of one PDFium thread. `path` comes from the worker, not from a model. */
export const pdfiumJobSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('read'),
    path: z.string(),
    /** Pages, from 1, that are left out, and why. */
    givenUp: z.array(z.tuple([z.int().positive(), z.string()])),
    /** Whether a PDF without any text that can be used is read like others. */
    keepsScans: z.boolean(),
  }),
  z.object({
    kind: z.literal('draw'),
    path: z.string(),
    page: z.int().positive(),
    box: z.array(z.number()),
  }),
]);
export type PdfiumJob = Readonly<z.infer<typeof pdfiumJobSchema>>;

export type PaperReading =
  | { readonly kind: 'read'; readonly paper: Paper }
  | Unreadable
  /** PDFium stopped in this page. */
  | { readonly kind: 'broken-page'; readonly page: number; readonly reason: string };

/** What a reading thread posts before its result: the page that it begins, or null when it has read all of them. */
export interface PdfProgress {
  readonly kind: 'progress';
  readonly page: number | null;
}

interface Results {
  readonly read: PaperReading;
  readonly draw: PageDrawing;
}

/** Does one job in a thread of its own, which is ended when `end` aborts, since PDFium may take for ever with some files. */
export function inPdfiumThread<Kind extends PdfiumJob['kind']>(
  thread: URL,
  job: Extract<PdfiumJob, { readonly kind: Kind }>,
  end: AbortSignal,
  onProgress: (progress: PdfProgress) => void = () => undefined,
): Promise<Results[Kind] | { readonly kind: 'ended' }> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(thread, { workerData: job });
    const stop = (): void => {
      resolve({ kind: 'ended' });
      void worker.terminate();
    };
    end.addEventListener('abort', stop, { once: true });
    // What pdfium-thread.ts posts for the kind.
    worker.on('message', (message: PdfProgress | Results[Kind]) => {
      if (message.kind === 'progress') onProgress(message);
      else resolve(message);
    });
    worker.once('error', reject);
    worker.once('exit', (code) => {
      end.removeEventListener('abort', stop);
      reject(new Error(`The thread for ${job.path} ended with ${code} and without a result.`));
    });
  });
}
