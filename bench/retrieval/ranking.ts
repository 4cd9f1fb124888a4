import { mean } from '../../domain/statistics/means.js';

/** A passage of a paper, as a search finds it. */
export interface Passage extends Readonly<
  Record<'tableName' | 'columnName' | 'primaryKey', string>
> {
  readonly paper: string;
  readonly text: string;
  readonly score: number;
}

/** The PDF that answers a question, and words of the passage that does. */
export type Wanted = Readonly<Record<'paper' | 'phrase', string>>;

/** What is compared with a query, and the passage that it is a part of. */
export interface Entry<Vector> {
  readonly passage: Omit<Passage, 'score'>;
  readonly vector: Vector;
}

/** At most `limit` passages that score highest above 0, the best first, each once with the score of its best part. */
export function nearest<Vector>(
  entries: readonly Entry<Vector>[],
  scoreOf: (vector: Vector) => number,
  limit: number,
): readonly Passage[] {
  const best = new Map<string, Passage>();
  for (const { passage, vector } of entries) {
    const score = scoreOf(vector);
    if (score > (best.get(passage.primaryKey)?.score ?? 0)) {
      best.set(passage.primaryKey, { ...passage, score });
    }
  }
  return [...best.values()].sort((a, b) => b.score - a.score).slice(0, limit);
}

/** Whether a passage is the one that answers a question, however its white space is laid out. */
export const answers = (
  { paper, text }: Pick<Passage, 'paper' | 'text'>,
  wanted: Wanted,
): boolean => paper === wanted.paper && text.replaceAll(/\s+/g, ' ').includes(wanted.phrase);

/** The rank, from 1, of the first passage that answers a question; Infinity where none does. */
export function rankOf(hits: readonly Passage[], wanted: Wanted): number {
  const index = hits.findIndex((hit) => answers(hit, wanted));
  return index === -1 ? Infinity : index + 1;
}

/** Shares from 0 to 1, and the mean of 1 / rank with ranks above 10 as 0. @param ranks - of each question, at least one */
export const qualityOf = (
  ranks: readonly number[],
): Readonly<Record<'hit1' | 'hit5' | 'mrr10', number>> => ({
  hit1: mean(ranks.map((rank) => Number(rank <= 1))),
  hit5: mean(ranks.map((rank) => Number(rank <= 5))),
  mrr10: mean(ranks.map((rank) => (rank <= 10 ? 1 / rank : 0))),
});
