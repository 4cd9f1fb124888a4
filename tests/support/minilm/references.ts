import { readFileSync } from 'node:fs';
import { z } from 'zod';

const rowsSchema = z.array(z.object({ text: z.string(), vector: z.base64() }));

/** Texts with the vectors of the reference (make-tiny-model.py). */
export const references = (
  name: 'expected' | 'real',
): readonly { readonly text: string; readonly vector: readonly number[] }[] =>
  rowsSchema
    .parse(JSON.parse(readFileSync(new URL(`./${name}.json`, import.meta.url), 'utf8')))
    .map(({ text, vector }) => {
      const bytes = new Uint8Array(Buffer.from(vector, 'base64'));
      return { text, vector: Array.from(new Float32Array(bytes.buffer)) };
    });

/** The largest difference of two numbers. Infinity where the lengths differ. */
export const farthest = (a: readonly number[] = [], b: readonly number[] = []): number =>
  a.length === b.length
    ? Math.max(...a.map((value, at) => Math.abs(value - (b[at] ?? NaN))))
    : Infinity;
