import { modalityOf, type Collection } from './store-manifest.js';

/** What an agent names to search both collections of texts at once. */
export const fusedName = 'text_fused';

/** What meaning counts beside words, of 1 together: the default of Haystack's `WeaviateHybridRetriever`. */
const meaningShare = 0.7;

/** Hits of each collection that are ranked together: more than any agent sees. */
export const fusedDepth = 100;

/** The collections whose scores are fused: by words and by meaning. Null where a store lacks one of them. */
export function fusedParts(
  collections: readonly Collection[],
): readonly [words: Collection, meaning: Collection] | null {
  const texts = collections.filter(({ name }) => modalityOf(name) === 'text');
  const words = texts.find(({ vector }) => vector.kind === 'sparse');
  const meaning = texts.find(({ vector }) => vector.kind === 'dense');
  return words && meaning ? [words, meaning] : null;
}

/** A hit of a search: the cell that was found, and how near it is. */
interface Ranked {
  readonly score: number;
  readonly tableName: string;
  readonly columnName: string;
  readonly primaryKey: string;
}

/**
 * The hits of two searches in one order, by relative score fusion: each search has its scores stretched from 0, its last hit, to
 * 1, its first, and a hit gets 0.3 of that by words and 0.7 by meaning. Of equal sums, the one found by words comes first. By
 * ranks alone, what shares a word with the question outweighs what means the same (arXiv 2210.11934).
 * @param searches - hits of each, the best first
 */
export function fuseHits<Hit extends Ranked>(
  [words = [], meaning = []]: readonly (readonly Hit[])[],
  limit: number,
): readonly Hit[] {
  const fused = new Map<string, Hit>();
  const add = (hits: readonly Hit[], share: number): void => {
    const [most, least] = [hits[0]?.score ?? 0, hits.at(-1)?.score ?? 0];
    for (const hit of hits) {
      const cell = JSON.stringify([hit.tableName, hit.columnName, hit.primaryKey]);
      const relative = most > least ? (hit.score - least) / (most - least) : 1;
      const score = (fused.get(cell)?.score ?? 0) + share * relative;
      fused.set(cell, { ...(fused.get(cell) ?? hit), score });
    }
  };
  add(words, 1 - meaningShare);
  add(meaning, meaningShare);
  return [...fused.values()].sort((a, b) => b.score - a.score).slice(0, limit);
}
