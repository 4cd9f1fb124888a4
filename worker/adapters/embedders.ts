import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { endianness } from 'node:os';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type {
  EmbedderPort,
  EmbeddersPort,
  PictureEmbedderPort,
} from '../../activities/ports/model.js';
import { PortFailure } from '../../activities/ports/port-failure.js';
import { hashingName, miniLmName, modelOfEndpoint } from '../../domain/embedders.js';
import { englishTerms } from '../../domain/stores/bm25.js';
import { collectionName } from '../../domain/stores/store-manifest.js';
import { writeFileIfPossible } from '../../storage/atomic-file.js';
import { createMiniLmEmbedder } from './minilm/embedder.js';
import { createOpenAiEmbedder, type OpenAiEmbedderOptions } from './model-apis/embedder.js';

/** Embedders by their name in a store's manifest. */
export function createEmbedders(
  endpoint: Omit<OpenAiEmbedderOptions, 'model'>,
  miniLm: Parameters<typeof createMiniLmEmbedder>[0],
): EmbeddersPort {
  const opened = new Map<string, EmbedderPort>();
  return (name) => {
    const known = opened.get(name) ?? open(name);
    opened.set(name, known);
    return known;
  };

  function open(name: string): EmbedderPort {
    if (name === hashingName) return hashingEmbedder;
    if (name === miniLmName) return createMiniLmEmbedder(miniLm);
    const model = modelOfEndpoint(name);
    if (model !== null) return createOpenAiEmbedder({ ...endpoint, model });
    throw new PortFailure('InvalidInput', `This worker knows no embedder '${name}'.`);
  }
}

const dimensions = 384;

/**
 * Feature hashing of word stems and letter trigrams, for tests and the demonstration. It needs no model and is
 * deterministic, but its vectors represent spelling, not meaning.
 */
export const hashingEmbedder: EmbedderPort = {
  name: hashingName,
  endpoint: null,
  collection: collectionName('text', 'hashing', String(dimensions)),
  embed: (texts) => Promise.resolve(texts.map(hashText)),
};

function hashText(text: string): readonly number[] {
  const vector = new Array<number>(dimensions).fill(0);
  const add = ({ at, sign }: Feature, weight: number): void => {
    vector[at] = (vector[at] ?? 0) + sign * weight;
  };
  const stems = englishTerms(text);
  for (const stem of stems) {
    const { word, parts } = features.memo(stem);
    add(word, 1);
    for (const part of parts) add(part, 0.3);
  }
  // For texts without stems (symbols, stop words), since no vector may be zero.
  if (stems.length === 0) {
    for (const trigram of trigrams(`<${text}>`)) add(feature(`sign ${trigram}`), 1);
  }
  const norm = Math.hypot(...vector);
  return norm === 0
    ? vector.map((_, index) => (index === 0 ? 1 : 0))
    : vector.map((value) => value / norm);
}

/** A dimension, and the direction in it. */
interface Feature {
  readonly at: number;
  readonly sign: 1 | -1;
}

function feature(name: string): Feature {
  const hash = fnv1a(name);
  return { at: hash % dimensions, sign: hash & 0x80000000 ? -1 : 1 };
}

/** Of a word stem: of itself and of its letter trigrams. */
interface WordFeatures {
  readonly word: Feature;
  readonly parts: readonly Feature[];
}

/** Stems that are remembered with their features. */
const rememberedStems = 50_000;
const features = new LRUCache<string, WordFeatures>({
  max: rememberedStems,
  memoMethod: (stem) => ({
    word: feature(`word ${stem}`),
    parts: trigrams(`<${stem}>`).map((trigram) => feature(`part ${trigram}`)),
  }),
});

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
  // The dimension is taken from the low bits, which are weakly mixed for short texts.
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** The embedder of pictures that the settings name, if any, beside the embedders of texts. */
export function withPictures(
  texts: EmbeddersPort,
  pictures: PictureEmbedderPort | null,
): EmbeddersPort {
  return (name) => (pictures !== null && name === pictures.name ? pictures : texts(name));
}

/** Texts or pictures in one cache file. They are also paid for again together if the endpoint fails. */
const batchSize = 64;

type Vectors = readonly (readonly number[])[];

/**
 * An embedder that caches its vectors, so that no text and no picture is sent or computed twice when a build is repeated or when
 * papers are added. The cache has a file of 32-bit numbers for each batch. Hashing takes no longer than reading one.
 */
export function createCachedEmbedder<Embedder extends EmbedderPort | PictureEmbedderPort>({
  embedder,
  folder,
}: {
  readonly embedder: Embedder;
  readonly folder: string;
}): Embedder {
  const { name, endpoint } = embedder;
  if (name === hashingName) return embedder;
  const cached =
    <Item>(embed: (items: readonly Item[], signal: AbortSignal) => Promise<Vectors>) =>
    async (items: readonly Item[], signal: AbortSignal): Promise<Vectors> => {
      const vectors: (readonly number[])[] = [];
      for (let start = 0; start < items.length; start += batchSize) {
        const batch = items.slice(start, start + batchSize);
        vectors.push(...(await cachedBatch(batch, () => embed(batch, signal))));
      }
      return vectors;
    };
  return {
    ...embedder,
    embed: cached(embedder.embed),
    ...('embedPictures' in embedder && { embedPictures: cached(embedder.embedPictures) }),
  };

  async function cachedBatch(
    items: readonly unknown[],
    embed: () => Promise<Vectors>,
  ): Promise<Vectors> {
    const key = createHash('sha256')
      .update(JSON.stringify([endpoint, name, items]))
      .digest('hex');
    const path = join(folder, key.slice(0, 2), `${key}.${endianness().toLowerCase()}.f32`);
    // A file that cannot be read counts as missing.
    const file = await readFile(path).catch(() => null);
    const kept = file === null ? null : vectorsIn(file, items.length);
    if (kept !== null) return kept;
    const vectors = await embed();
    // The vectors are paid for: they are returned even if the disk is full.
    await writeFileIfPossible(path, bytesOf(vectors));
    return vectors;
  }
}

/** Vectors of equal length, one after the other. */
function bytesOf(vectors: Vectors): Uint8Array {
  const numbers = Float32Array.from(vectors.flat());
  return new Uint8Array(numbers.buffer);
}

/** Null if the bytes are not `count` vectors. */
function vectorsIn(bytes: Buffer, count: number): Vectors | null {
  const dimensions = bytes.length / Float32Array.BYTES_PER_ELEMENT / count;
  if (!Number.isInteger(dimensions) || dimensions === 0) return null;
  const numbers = new Float32Array(new Uint8Array(bytes).buffer);
  return Array.from({ length: count }, (_, index) =>
    Array.from(numbers.subarray(index * dimensions, (index + 1) * dimensions)),
  );
}
