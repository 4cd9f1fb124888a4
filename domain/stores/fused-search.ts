import { modalityOf, type Collection } from './store-manifest.js';

/** What an agent names to search both collections of texts at once. */
export const fusedName = 'text_fused';

/** The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009). */
const rankOffset = 60;

/** Hits of each collection that are ranked together: more than any agent sees. */
export const fusedDepth = 100;

/** The collections whose ranks are fused: by words and by meaning. Null where a store lacks one of them. */
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
 * The hits of several searches in one order: each gets 1 / (60 + rank) from every search that found it, ranks from 1. Of equal
 * sums, the one that an earlier search ranks higher comes first.
 */
export function fuseHits<Hit extends Ranked>(
  searches: readonly (readonly Hit[])[],
  limit: number,
): readonly Hit[] {
  const fused = new Map<string, Hit>();
  for (const hits of searches) {
    hits.forEach((hit, index) => {
      const cell = JSON.stringify([hit.tableName, hit.columnName, hit.primaryKey]);
      const score = (fused.get(cell)?.score ?? 0) + 1 / (rankOffset + index + 1);
      fused.set(cell, { ...(fused.get(cell) ?? hit), score });
    });
  }
  return [...fused.values()].sort((a, b) => b.score - a.score).slice(0, limit);
}
