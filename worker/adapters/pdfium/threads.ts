import { Worker } from 'node:worker_threads';
import type { Incomplete, PdfiumJob, PdfProgress, Results } from './job.js';
import { shareCompiledPdfium } from './module.js';

/** Does one job in a thread, which is ended when `end` aborts, since PDFium may take for ever with some files. */
export type PdfiumThreads = <Kind extends PdfiumJob['kind']>(
  job: Extract<PdfiumJob, { readonly kind: Kind }>,
  end: AbortSignal,
  onProgress?: (progress: PdfProgress) => void,
) => Promise<Results[Kind] | Incomplete>;

/**
 * Threads that do one job after the other: in a new one V8 interprets the first pages, which takes three times as long. There
 * are as many as there have been jobs at once. No file reaches another one, however damaged it is: see `withDocument`.
 */
export function createPdfiumThreads({
  thread,
  memoryMb,
  idleMs = 10_000,
}: {
  /** The compiled `pdfium-thread.ts`. */
  readonly thread: URL;
  /** The most memory for objects, in MB. PDFium's own memory is not part of it. */
  readonly memoryMb: number;
  /** How long a thread waits for its next job. @defaultValue 10 s */
  readonly idleMs?: number;
}): PdfiumThreads {
  const waiting: Waiting[] = [];

  return async <Kind extends PdfiumJob['kind']>(
    job: Extract<PdfiumJob, { readonly kind: Kind }>,
    end: AbortSignal,
    onProgress: (progress: PdfProgress) => void = () => undefined,
  ) => {
    await shareCompiledPdfium();
    if (end.aborted) return { kind: 'ended' };
    const worker = taken();
    return new Promise<Results[Kind] | Incomplete>((resolve, reject) => {
      const settle = (): void => {
        end.removeEventListener('abort', stop);
        worker.off('message', answer).off('error', fail).off('exit', exit);
      };
      const discard = (): void => {
        settle();
        // Of one that is being ended, nothing else is of interest.
        worker.on('error', () => undefined);
        void worker.terminate();
      };
      const stop = (): void => {
        discard();
        resolve({ kind: 'ended' });
      };
      // What pdfium-thread.ts posts for the kind.
      const answer = (message: PdfProgress | Results[Kind]): void => {
        if (message.kind === 'progress') {
          onProgress(message);
          return;
        }
        if (message.kind === 'read' || message.kind === 'drawn') {
          settle();
          keep(worker);
        } else discard();
        resolve(message);
      };
      const fail = (error: Error): void => {
        discard();
        if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
          resolve({ kind: 'out-of-memory' });
        } else reject(error);
      };
      const exit = (code: number): void => {
        settle();
        reject(new Error(`The thread for ${job.path} ended with ${code} and without a result.`));
      };
      end.addEventListener('abort', stop, { once: true });
      worker.on('message', answer).on('error', fail).on('exit', exit);
      worker.postMessage(job);
    });
  };

  /** A thread that waits, else a new one. */
  function taken(): Worker {
    const kept = waiting.pop();
    if (kept === undefined) {
      return new Worker(thread, { resourceLimits: { maxOldGenerationSizeMb: memoryMb } });
    }
    const { worker, timer, forget } = kept;
    clearTimeout(timer);
    worker.off('error', forget).off('exit', forget);
    worker.ref();
    return worker;
  }

  function keep(worker: Worker): void {
    const forget = (): void => {
      const at = waiting.findIndex((kept) => kept.worker === worker);
      if (at !== -1) waiting.splice(at, 1);
      void worker.terminate();
    };
    worker.on('error', forget).on('exit', forget);
    // It does not keep the process from ending.
    worker.unref();
    waiting.push({ worker, forget, timer: setTimeout(forget, idleMs).unref() });
  }
}

/** A thread without a job. */
interface Waiting {
  readonly worker: Worker;
  readonly timer: NodeJS.Timeout;
  /** Ends it. */
  readonly forget: () => void;
}
