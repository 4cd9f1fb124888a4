import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PortFailure } from '../../../../activities/ports/port-failure.js';
import {
  createMiniLmEmbedder,
  miniLmFiles,
  type MiniLmFiles,
  type PinnedFile,
} from '../../../../worker/adapters/minilm/embedder.js';
import { compiledEntry } from '../../../support/compiled-entry.js';

const support = (name: string): Buffer =>
  readFileSync(new URL(`../../../support/minilm/${name}`, import.meta.url));
const contents = {
  runtime: readFileSync(
    createRequire(import.meta.url).resolve('onnxruntime-web/ort-wasm-simd-threaded.wasm'),
  ),
  model: support('tiny.onnx'),
  vocabulary: support('tiny-vocab.txt'),
};
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** How the server sends the model. */
let send: 'whole' | 'cut' | 'other' | 'refused';
let server: Server;
let asked: string[];
let folder: string;
let compiled: ReturnType<typeof compiledEntry>;

beforeAll(() => {
  compiled = compiledEntry('worker/adapters/minilm/minilm-thread.ts');
});
afterAll(() => compiled.remove());

beforeEach(async () => {
  send = 'whole';
  asked = [];
  folder = mkdtempSync(join(tmpdir(), 'turnwise-minilm-'));
  server = createServer(({ url = '' }, response) => {
    const name = url.slice(1);
    asked.push(name);
    const bytes = contents[name as keyof typeof contents];
    if (name !== 'model' || send === 'whole') return void response.end(bytes);
    if (send === 'refused') return void response.writeHead(403).end('no');
    if (send === 'other') return void response.end(Buffer.alloc(bytes.length, 'x'));
    response.end(bytes.subarray(0, 500));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

function files(): MiniLmFiles {
  // A server that listens on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  const pinned = (name: keyof typeof contents): PinnedFile => ({
    name: `${name}.bin`,
    url: `http://127.0.0.1:${port}/${name}`,
    bytes: contents[name].length,
    sha256: sha256(contents[name]),
  });
  return {
    runtime: pinned('runtime'),
    model: pinned('model'),
    vocabulary: pinned('vocabulary'),
  };
}

const embedder = (from = files()): ReturnType<typeof createMiniLmEmbedder> =>
  createMiniLmEmbedder({ folder, files: from, thread: compiled.entry });
const { signal } = new AbortController();

async function failureOf(from = files()): Promise<PortFailure> {
  const error: unknown = await embedder(from)
    .embed(['paper'], signal)
    .catch((thrown: unknown) => thrown);
  if (error instanceof PortFailure) return error;
  throw new Error(`expected a PortFailure, got ${String(error)}`);
}

/** The vector of a token in the tiny model (make-tiny-model.py). */
const vectorOf = (token: number): readonly number[] =>
  Array.from({ length: 8 }, (_, at) => (token % 8 === at ? 1 : token / 100));

function meanOf(tokens: readonly number[]): readonly number[] {
  const mean = Array.from({ length: 8 }, (_, at) =>
    tokens.reduce((sum, token) => sum + (vectorOf(token)[at] ?? 0), 0),
  );
  return mean.map((value) => value / Math.hypot(...mean));
}

const closeTo = (expected: readonly number[]): unknown =>
  expected.map((value) => expect.closeTo(value, 5) as unknown);

describe('the embedder minilm', () => {
  it('makes the mean of the tokens of each text, of length 1, whatever is beside it', async () => {
    const vectors = await embedder().embed(['paper, cat', 'paper', ''], signal);
    expect(vectors).toEqual([
      closeTo(meanOf([2, 4, 14, 8, 3])),
      closeTo(meanOf([2, 4, 3])),
      closeTo(meanOf([2, 3])),
    ]);
  });

  it('keeps the order of many texts of any length', async () => {
    const texts = Array.from({ length: 70 }, (_, n) => 'paper '.repeat((n * 7) % 40));
    const vectors = await embedder().embed(texts, signal);
    expect(vectors).toEqual(
      texts.map((_, n) => closeTo(meanOf([2, ...Array<number>((n * 7) % 40).fill(4), 3]))),
    );
  });

  it('fetches its files once, and needs no network afterwards', async () => {
    const from = files();
    await embedder(from).embed(['paper'], signal);
    expect(asked.sort()).toEqual(['model', 'runtime', 'vocabulary']);
    server.close();
    server.closeAllConnections();
    expect(await embedder(from).embed(['paper'], signal)).toHaveLength(1);
    expect(asked).toHaveLength(3);
  });

  it.each([
    ['cut', `it ended after 500 of ${contents.model.length} bytes`],
    ['other', 'what came is another file, whose checksum is wrong'],
    ['refused', 'answered 403'],
  ] as const)('uses no model that comes %s', async (how, why) => {
    send = how;
    const failure = await failureOf();
    expect(failure.type).toBe('EmbedderUnavailable');
    expect(failure.message).toContain(`model.bin of the embedder minilm cannot be fetched: `);
    expect(failure.message).toContain(why);
    expect(readdirSync(folder).sort()).toEqual(['runtime.bin', 'vocabulary.bin']);

    send = 'whole';
    expect(await embedder().embed(['paper'], signal)).toHaveLength(1);
  });

  it('fetches a file again that was damaged on the disk', async () => {
    writeFileSync(join(folder, 'model.bin'), 'damaged');
    expect(await embedder().embed(['paper'], signal)).toHaveLength(1);
  });

  it('says in one sentence what helps without a network', async () => {
    const from = files();
    server.close();
    server.closeAllConnections();
    const { type, message } = await failureOf(from);
    expect(type).toBe('EmbedderUnavailable');
    expect(message).toMatch(/there is no connection \(ECONNREFUSED\); let this machine reach 127/);
    expect(message).toContain(`into ${folder}, or choose another TURNWISE_EMBEDDER.`);
  });

  it('ends where it is cancelled', async () => {
    const reason = new Error('cancelled');
    await expect(embedder().embed(['paper'], AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

it('pins the runtime of the version that the programs are built with', () => {
  const { bytes, sha256: pinned, url } = miniLmFiles.runtime;
  expect([bytes, pinned]).toEqual([contents.runtime.length, sha256(contents.runtime)]);
  const { devDependencies } = JSON.parse(
    readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'),
  ) as { devDependencies: Record<string, string> };
  expect(url).toContain(`onnxruntime-web@${devDependencies['onnxruntime-web'] ?? ''}/`);
});
