import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { endianness } from 'node:os';
import { join } from 'node:path';
import type { EmbedderPort } from '../../activities/ports/model.js';
import { analyzeText } from '../../domain/stores/bm25.js';
import { textCollectionName } from '../../domain/stores/store-manifest.js';
import { writeFileIfPossible } from '../../storage/atomic-file.js';
import { createOpenAiEmbedder, type OpenAiEmbedderOptions } from './openai/embedder.js';

export type Embedders = (name: string) => EmbedderPort;

/**
 * Embedders by the name that a store's manifest gives them (`hashing/384`, `openai/MODEL`), or by the setting
 * TURNWISE_EMBEDDER (`hashing`, `openai:MODEL`).
 */
export function createEmbedders(endpoint: Omit<OpenAiEmbedderOptions, 'model'>): Embedders {
  const opened = new Map<string, EmbedderPort>();
  return (name) => {
    const known = opened.get(name) ?? open(name);
    opened.set(name, known);
    return known;
  };

  function open(name: string): EmbedderPort {
    if (name === 'hashing' || name === hashingEmbedder.name) return hashingEmbedder;
    const [, model] = /^openai[:/](.+)$/.exec(name) ?? [];
    if (model !== undefined) return createOpenAiEmbedder({ ...endpoint, model });
    throw new Error(
      `There is no embedder '${name}': set TURNWISE_EMBEDDER to 'hashing' or 'openai:MODEL', e.g. openai:text-embedding-3-small.`,
    );
  }
}

const dimensions = 384;

/**
 * Feature hashing of word stems and letter trigrams: needs no model and gives the same vector everywhere, but sees
 * spelling, not meaning. For tests and the demonstration; its name says what it is wherever it appears.
 */
export const hashingEmbedder: EmbedderPort = {
  name: `hashing/${dimensions}`,
  endpoint: null,
  collection: textCollectionName('hashing', String(dimensions)),
  embed: (texts) => Promise.resolve(texts.map(hashText)),
};

function hashText(text: string): readonly number[] {
  const vector = new Array<number>(dimensions).fill(0);
  const add = (feature: string, weight: number): void => {
    const hash = fnv1a(feature);
    const at = hash % dimensions;
    vector[at] = (vector[at] ?? 0) + (hash & 0x80000000 ? -weight : weight);
  };
  const stems = analyzeText(text);
  for (const stem of stems) {
    add(`word ${stem}`, 1);
    for (const trigram of trigrams(`<${stem}>`)) add(`part ${trigram}`, 0.3);
  }
  // Something for texts of symbols or stop words only, so that no vector is zero.
  if (stems.length === 0) for (const trigram of trigrams(`<${text}>`)) add(`sign ${trigram}`, 1);
  const norm = Math.hypot(...vector);
  return norm === 0
    ? vector.map((_, index) => (index === 0 ? 1 : 0))
    : vector.map((value) => value / norm);
}

function trigrams(text: string): readonly string[] {
  const letters = Array.from(text);
  if (letters.length < 3) return [text];
  return letters.slice(2).map((_, index) => letters.slice(index, index + 3).join(''));
}

/** FNV-1a over UTF-16 units, 32 bits. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  // The low bits of FNV are weak for short texts, and the dimension is taken from them.
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** Texts that are kept together, and paid for again together where an endpoint fails half-way. */
const batchSize = 64;

type Vectors = readonly (readonly number[])[];

/**
 * An embedder whose endpoint is sent no text twice: not when a build is begun again after a failure, and not when papers
 * are added to those of before. One file for each batch of texts, of 32-bit numbers, as collections hold them.
 */
export function createCachedEmbedder({
  embedder,
  folder,
}: {
  readonly embedder: EmbedderPort;
  readonly folder: string;
}): EmbedderPort {
  const { name, endpoint } = embedder;
  if (endpoint === null) return embedder;

  async function embedBatch(texts: readonly string[], signal: AbortSignal): Promise<Vectors> {
    const key = createHash('sha256')
      .update(JSON.stringify([endpoint, name, texts]))
      .digest('hex');
    const path = join(folder, key.slice(0, 2), `${key}.${endianness().toLowerCase()}.f32`);
    // What cannot be read is not there.
    const kept = await readFile(path).catch(() => null);
    const known = kept === null ? null : vectorsIn(kept, texts.length);
    if (known !== null) return known;
    const vectors = await embedder.embed(texts, signal);
    // They are paid for: a full disk must not lose them.
    await writeFileIfPossible(path, bytesOf(vectors));
    return vectors;
  }

  return {
    ...embedder,
    embed: async (texts, signal) => {
      const vectors: (readonly number[])[] = [];
      for (let start = 0; start < texts.length; start += batchSize) {
        vectors.push(...(await embedBatch(texts.slice(start, start + batchSize), signal)));
      }
      return vectors;
    },
  };
}

/** Vectors of equal length, one after the other. */
function bytesOf(vectors: Vectors): Uint8Array {
  const numbers = Float32Array.from(vectors.flat());
  return new Uint8Array(numbers.buffer);
}

/** Null where the bytes are not those of `count` vectors. */
function vectorsIn(bytes: Buffer, count: number): Vectors | null {
  const dimensions = bytes.length / Float32Array.BYTES_PER_ELEMENT / count;
  if (!Number.isInteger(dimensions) || dimensions === 0) return null;
  const numbers = new Float32Array(new Uint8Array(bytes).buffer);
  return Array.from({ length: count }, (_, index) =>
    Array.from(numbers.subarray(index * dimensions, (index + 1) * dimensions)),
  );
}
