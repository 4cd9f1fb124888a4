import { Worker } from 'node:worker_threads';
import type { EmbedderPort } from '../../../activities/ports/model.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { collectionName } from '../../../domain/stores/store-manifest.js';
import { miniLmFiles, pinnedPath, type MiniLmFiles } from './files.js';
import type { EmbedJob, EmbedResult, OpenFiles } from './job.js';

const model = 'all-MiniLM-L6-v2';

/** Its name in a store's manifest. */
export const miniLmName = `minilm/${model}`;

/** Texts of one job of the thread, between which it can be cancelled. */
const jobSize = 32;

/**
 * Embeddings of all-MiniLM-L6-v2, made by this machine in a thread that ends with the worker. Its files are fetched at first
 * use. No text leaves the machine.
 */
export function createMiniLmEmbedder({
  folder,
  files = miniLmFiles,
  thread = new URL('./minilm-thread.js', import.meta.url),
}: {
  /** Of the files, shared by all homes of this machine. */
  readonly folder: string;
  readonly files?: MiniLmFiles;
  /** The compiled thread. @defaultValue beside this module */
  readonly thread?: URL;
}): EmbedderPort {
  let running: Worker | undefined;
  /** Jobs are done one after the other, by whomever they are sent. */
  let last: Promise<unknown> = Promise.resolve();

  async function started(signal: AbortSignal): Promise<Worker> {
    if (running) return running;
    const workerData: OpenFiles = {
      runtime: await pinnedPath(files.runtime, folder, signal),
      vocabulary: await pinnedPath(files.vocabulary, folder, signal),
      model: await pinnedPath(files.model, folder, signal),
    };
    const worker = new Worker(thread, { workerData });
    worker.unref();
    const forget = (): void => {
      if (running === worker) running = undefined;
    };
    worker.on('error', forget).on('exit', forget);
    running = worker;
    return worker;
  }

  async function embedJob(
    job: EmbedJob,
    signal: AbortSignal,
  ): Promise<readonly (readonly number[])[]> {
    signal.throwIfAborted();
    const worker = await started(signal);
    const result = await new Promise<EmbedResult>((resolve) => {
      const fail = (): void => settle({ kind: 'failed', reason: 'its thread ended' });
      const settle = (message: EmbedResult): void => {
        worker.off('message', settle).off('error', fail).off('exit', fail);
        worker.unref();
        resolve(message);
      };
      worker.on('message', settle).on('error', fail).on('exit', fail);
      worker.ref();
      worker.postMessage(job);
    });
    if (result.kind === 'embedded') return result.vectors;
    throw new PortFailure('EmbedderUnavailable', `The embedder minilm failed: ${result.reason}.`);
  }

  return {
    name: miniLmName,
    endpoint: null,
    collection: collectionName('text', 'minilm', model),
    embed: async (texts, signal) => {
      const vectors: (readonly number[])[] = [];
      for (let start = 0; start < texts.length; start += jobSize) {
        const job = { texts: texts.slice(start, start + jobSize) };
        const mine = last.then(() => embedJob(job, signal));
        last = mine.catch(() => undefined);
        vectors.push(...(await mine));
      }
      return vectors;
    },
  };
}
