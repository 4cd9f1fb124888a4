import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import type { Paper } from '../../../domain/extraction/paper.js';
import type { Unreadable } from './document.js';
import type { PageDrawing } from './draw-page.js';
import { shareCompiledPdfium } from './module.js';

/** The work of one PDFium thread. `path` comes from the worker, not from a model. */
export const pdfiumJobSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('read'),
    path: z.string(),
    /** Pages, from 1, that are left out, and why. */
    givenUp: z.array(z.tuple([z.int().positive(), z.string()])),
    /** The most memory that PDFium may take beside the file. */
    pdfiumMb: z.number(),
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
  | { readonly kind: 'broken-page'; readonly page: number; readonly reason: string }
  /** PDFium needs more memory than it may have, for this page or, where that is null, for the file as a whole. */
  | { readonly kind: 'pdfium-full'; readonly page: number | null };

/** What a reading thread posts before its result: the page that it begins, or null when it has read all of them. */
export interface PdfProgress {
  readonly kind: 'progress';
  readonly page: number | null;
}

interface Results {
  readonly read: PaperReading;
  readonly draw: PageDrawing;
}

/** What a thread comes to that does not complete its job. */
export type Incomplete = { readonly kind: 'ended' } | { readonly kind: 'out-of-memory' };

interface ThreadOptions {
  /** The most memory for objects, in MB. PDFium's own memory is not part of it. */
  readonly memoryMb: number;
  readonly onProgress?: (progress: PdfProgress) => void;
}

/** Does one job in a thread of its own, which is ended when `end` aborts, since PDFium may take for ever with some files. */
export async function inPdfiumThread<Kind extends PdfiumJob['kind']>(
  thread: URL,
  job: Extract<PdfiumJob, { readonly kind: Kind }>,
  end: AbortSignal,
  { memoryMb, onProgress = () => undefined }: ThreadOptions,
): Promise<Results[Kind] | Incomplete> {
  await shareCompiledPdfium();
  if (end.aborted) return { kind: 'ended' };
  return new Promise((resolve, reject) => {
    const resourceLimits = { maxOldGenerationSizeMb: memoryMb };
    const worker = new Worker(thread, { workerData: job, resourceLimits });
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
    worker.once('error', (error) => {
      if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
        resolve({ kind: 'out-of-memory' });
      } else reject(error);
    });
    worker.once('exit', (code) => {
      end.removeEventListener('abort', stop);
      reject(new Error(`The thread for ${job.path} ended with ${code} and without a result.`));
    });
  });
}
