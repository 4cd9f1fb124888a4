import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { EmbedderPort } from '../../../activities/ports/model.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { miniLmName } from '../../../domain/embedders.js';
import { collectionName } from '../../../domain/stores/store-manifest.js';
import { miniLmSources, ModelMissing, obtainModel, type MiniLmSources } from './files.js';
import type { EmbedJob, EmbedResult, OpenModel } from './job.js';

/** Texts of one job of the thread, between which it can be cancelled. */
const jobSize = 32;

const run = promisify(execFile);

/**
 * Embeddings of all-MiniLM-L6-v2, made by this machine in a thread that ends with the worker: by native code where `python` has
 * ONNX Runtime, else in WebAssembly, with the same vectors to 1e-4. Its files are fetched at first use. No text leaves the machine.
 */
export function createMiniLmEmbedder({
  folder,
  python,
  sources = miniLmSources,
  thread = new URL('./minilm-thread.js', import.meta.url),
}: {
  /** Of the files, shared by all homes of this machine. */
  readonly folder: string;
  /** Of the embedded services. It may be missing. */
  readonly python: string;
  readonly sources?: MiniLmSources;
  /** The compiled thread. @defaultValue beside this module */
  readonly thread?: URL;
}): EmbedderPort {
  let running: Worker | undefined;
  /** Jobs are done one after the other, by whomever they are sent. */
  let last: Promise<unknown> = Promise.resolve();

  async function started(signal: AbortSignal): Promise<Worker> {
    if (running) return running;
    const isNative = await hasRuntime(python, signal);
    const withPip = isNative ? python : 'python3';
    const model = await obtainModel(sources, { folder, python: withPip, signal }).catch(
      (error: unknown) => {
        if (!(error instanceof ModelMissing)) throw error;
        throw new PortFailure('EmbedderUnavailable', error.message, { cause: error });
      },
    );
    const workerData: OpenModel = { ...model, python: isNative ? python : null };
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
    collection: collectionName('text', 'sentence_transformers', miniLmName),
    ready: async (signal) => {
      await started(signal);
    },
    embed: async (texts, signal) => {
      const vectors = new Array<readonly number[]>(texts.length);
      // Texts that go through the model together are filled to the length of the longest.
      const order = [...texts.keys()].sort(
        (a, b) => (texts[a] ?? '').length - (texts[b] ?? '').length,
      );
      for (let start = 0; start < order.length; start += jobSize) {
        const indexes = order.slice(start, start + jobSize);
        const job = { texts: indexes.map((index) => texts[index] ?? '') };
        const mine = last.then(() => embedJob(job, signal));
        last = mine.catch(() => undefined);
        for (const [place, vector] of (await mine).entries()) {
          vectors[indexes[place] ?? 0] = vector;
        }
      }
      return vectors;
    },
  };
}

/** Whether a Python can run the model. */
const hasRuntime = (python: string, signal: AbortSignal): Promise<boolean> =>
  run(python, ['-c', 'import numpy, onnxruntime'], { signal }).then(
    () => true,
    () => {
      signal.throwIfAborted();
      return false;
    },
  );
