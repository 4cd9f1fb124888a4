import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Worker } from 'node:worker_threads';
import type { EmbedderPort } from '../../../activities/ports/model.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { collectionName } from '../../../domain/stores/store-manifest.js';
import { contentOfFile, sha256OfFile } from '../../../storage/stores/local-copies.js';
import { timeLimit } from '../time-limit.js';
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

/** A file that is fetched once, and whose content is known. */
export interface PinnedFile {
  readonly name: string;
  readonly url: string;
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
}

/** What all-MiniLM-L6-v2 needs: the runtime, the model and its vocabulary. */
export interface MiniLmFiles {
  readonly runtime: PinnedFile;
  readonly model: PinnedFile;
  readonly vocabulary: PinnedFile;
}

const revision = '1110a243fdf4706b3f48f1d95db1a4f5529b4d41';
const huggingFace = `https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/${revision}`;

export const miniLmFiles: MiniLmFiles = {
  // Of the version in package.json, whose JavaScript is part of the programs.
  runtime: {
    name: 'ort-wasm-simd-threaded.wasm',
    url: 'https://cdn.jsdelivr.net/npm/onnxruntime-web@1.30.0/dist/ort-wasm-simd-threaded.wasm',
    bytes: 14_239_897,
    sha256: '3398c10d07d229bd91b364548e130e0e51a8e5704b88c7c083ebbeb78842dee2',
  },
  model: {
    name: 'model.onnx',
    url: `${huggingFace}/onnx/model.onnx`,
    bytes: 90_405_214,
    sha256: '6fd5d72fe4589f189f8ebc006442dbb529bb7ce38f8082112682524616046452',
  },
  vocabulary: {
    name: 'vocab.txt',
    url: `${huggingFace}/vocab.txt`,
    bytes: 231_508,
    sha256: '07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3',
  },
};

const wholeWithinMs = 30 * 60_000;

/**
 * The path of a pinned file in `folder`, where it is fetched to unless it is there. Any number of processes may do so at
 * once. A file with another content is never used.
 * @throws PortFailure (`EmbedderUnavailable`) where it cannot be fetched
 */
async function pinnedPath(file: PinnedFile, folder: string, signal: AbortSignal): Promise<string> {
  const path = join(folder, file.name);
  if ((await sha256OfFile(path).catch(() => null)) === file.sha256) return path;
  const part = `${path}.${randomUUID()}.part`;
  const unusable = (why: string, cause?: Error): PortFailure =>
    new PortFailure(
      'EmbedderUnavailable',
      `${file.name} of the embedder minilm cannot be fetched: ${why}; let this machine reach ${new URL(file.url).host} once, put the file of ${file.url} into ${folder}, or choose another TURNWISE_EMBEDDER.`,
      { ...(cause && { cause }) },
    );
  try {
    await mkdir(dirname(path), { recursive: true });
    const response = await fetch(file.url, {
      signal: AbortSignal.any([signal, timeLimit(wholeWithinMs)]),
    });
    if (!response.ok || !response.body) {
      throw unusable(`${new URL(file.url).host} answered ${response.status}`);
    }
    await pipeline(Readable.fromWeb(response.body), createWriteStream(part));
    const { bytes, sha256 } = await contentOfFile(part);
    if (bytes < file.bytes) throw unusable(`it ended after ${bytes} of ${file.bytes} bytes`);
    if (sha256 !== file.sha256) {
      throw unusable('what came is another file, whose checksum is wrong');
    }
    await rename(part, path);
    return path;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof PortFailure) throw error;
    throw unusable(reasonOf(error), error instanceof Error ? error : undefined);
  } finally {
    await rm(part, { force: true });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'nothing came';
  const { cause } = error;
  const known = cause instanceof Error && 'code' in cause ? cause : error;
  return 'code' in known && typeof known.code === 'string'
    ? `there is no connection (${known.code})`
    : 'the connection ended';
}
