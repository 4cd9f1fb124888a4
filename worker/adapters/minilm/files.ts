import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { timeLimit } from '../time-limit.js';

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
export async function pinnedPath(
  file: PinnedFile,
  folder: string,
  signal: AbortSignal,
): Promise<string> {
  const path = join(folder, file.name);
  if ((await hashOf(path)) === file.sha256) return path;
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
    let bytes = 0;
    const hash = createHash('sha256');
    await pipeline(
      Readable.fromWeb(response.body),
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          bytes += chunk.length;
          hash.update(chunk);
          yield chunk;
        }
      },
      createWriteStream(part),
    );
    if (bytes < file.bytes) throw unusable(`it ended after ${bytes} of ${file.bytes} bytes`);
    if (hash.digest('hex') !== file.sha256) {
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

/** Undefined for a file that cannot be read. */
async function hashOf(path: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
  } catch {
    return undefined;
  }
  return hash.digest('hex');
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'nothing came';
  const { cause } = error;
  const known = cause instanceof Error && 'code' in cause ? cause : error;
  return 'code' in known && typeof known.code === 'string'
    ? `there is no connection (${known.code})`
    : 'the connection ended';
}
