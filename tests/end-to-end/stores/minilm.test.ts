import { afterAll, expect, it } from 'vitest';
import { createMiniLmEmbedder } from '../../../worker/adapters/minilm/embedder.js';
import { milvusLitePython, miniLmFolder } from '../../../worker/embedded/python-engines.js';
import { cacheFolder } from '../../../worker/embedded/setup-context.js';
import { compiledEntry } from '../../support/commands/compiled-entry.js';
import { farthest, references } from '../../support/minilm/references.js';

const engines = cacheFolder(process.env.TURNWISE_CACHE);
const compiled = compiledEntry('worker/adapters/minilm/minilm-thread.ts');
afterAll(() => compiled.remove());

it.each([
  ['natively', milvusLitePython(engines)],
  ['in WebAssembly', 'no-python'],
])('gives the vectors of the reference with the real model, run %s', async (_, python) => {
  const expected = references('real');
  const { embed } = createMiniLmEmbedder({
    ...{ folder: miniLmFolder(engines), python, thread: compiled.entry },
  });
  const texts = expected.map(({ text }) => text);
  const vectors = await embed(texts, new AbortController().signal);
  for (const [at, { vector }] of expected.entries()) {
    expect(farthest(vectors[at], vector)).toBeLessThan(1e-5);
  }
});
