import { keyText, type SampleKey } from '../ids.js';
import type { Score } from '../questions/score.js';
import type { Verdict } from '../scoring/verdict.js';

/** How two scorings of the same answers differ. */
export interface ScoreDifferences {
  /** Answers that both came to the same about. */
  readonly same: number;
  readonly changed: readonly ScoreDifference[];
  /** Over what each has a score for; null where it has none. */
  readonly means: { readonly before: number | null; readonly after: number | null };
}

export interface ScoreDifference extends SampleKey {
  /** Null where it was not scored then. */
  readonly before: Verdict | null;
  readonly after: Verdict | null;
}

/** A rationale that is worded differently is no difference. */
export function scoreDifferences(
  before: readonly Score[],
  after: readonly Score[],
): ScoreDifferences {
  const earlier = new Map(before.map((score) => [keyText(score), score]));
  const later = new Map(after.map((score) => [keyText(score), score]));
  const keys = new Map([...before, ...after].map((score) => [keyText(score), score]));
  const pairs = [...keys].map(([name, { uuid, epoch }]) => ({
    uuid,
    epoch,
    before: earlier.get(name)?.verdict ?? null,
    after: later.get(name)?.verdict ?? null,
  }));
  const changed = pairs.filter((pair) => findingOf(pair.before) !== findingOf(pair.after));
  return {
    same: pairs.length - changed.length,
    changed,
    means: { before: meanOf(before), after: meanOf(after) },
  };
}

const findingOf = (verdict: Verdict | null): number | string | null =>
  verdict === null ? null : verdict.kind === 'scored' ? verdict.score : verdict.reason;

function meanOf(scores: readonly Score[]): number | null {
  const numbers = scores.flatMap(({ score }) => score ?? []);
  return numbers.length === 0
    ? null
    : numbers.reduce((total, score) => total + score, 0) / numbers.length;
}
