import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { endianness } from 'node:os';
import { join } from 'node:path';
import type { EmbedderPort } from '../../activities/ports/embedder.js';
import { writeFileIfPossible } from '../../storage/atomic-file.js';

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
