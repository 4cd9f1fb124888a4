import { keyText, type SampleKey } from '../ids.js';
import { mean } from '../statistics/means.js';
import { onScale, scaleOf, scalesIn, type Scale } from './scale.js';
import type { Score } from './score.js';
import type { Verdict } from './verdict.js';

/** The differences of two scorings of the same answers. */
export interface ScoreDifferences {
  /** The number of answers with equal verdicts. */
  readonly same: number;
  readonly changed: readonly ScoreDifference[];
  /** One for each scale that either scoring uses. */
  readonly means: readonly ScaleMeans[];
}

export interface ScoreDifference extends SampleKey {
  /** Null if this scoring does not contain the answer. */
  readonly before: Verdict | null;
  readonly after: Verdict | null;
  readonly scale: Scale;
}

/** The means of two scorings on one scale. */
export interface ScaleMeans {
  readonly scale: Scale;
  /** Over the answers with a score. Null if there are none. */
  readonly before: number | null;
  readonly after: number | null;
}

/** Verdicts that differ only in their rationale count as equal. */
export function scoreDifferences(
  before: readonly Score[],
  after: readonly Score[],
): ScoreDifferences {
  const earlier = new Map(before.map((score) => [keyText(score), score]));
  const later = new Map(after.map((score) => [keyText(score), score]));
  const keys = new Map([...before, ...after].map((score) => [keyText(score), score]));
  const pairs = [...keys].map(([name, { uuid, epoch, scorer }]) => ({
    uuid,
    epoch,
    scale: scaleOf(scorer),
    before: earlier.get(name)?.verdict ?? null,
    after: later.get(name)?.verdict ?? null,
  }));
  const changed = pairs.filter((pair) => findingOf(pair.before) !== findingOf(pair.after));
  return {
    same: pairs.length - changed.length,
    changed,
    means: scalesIn([...before, ...after].map(({ scorer }) => scaleOf(scorer))).map((scale) => ({
      scale,
      before: meanOf(before, scale),
      after: meanOf(after, scale),
    })),
  };
}

const findingOf = (verdict: Verdict | null): number | string | null =>
  verdict === null ? null : verdict.kind === 'scored' ? verdict.score : verdict.reason;

function meanOf(scores: readonly Score[], scale: Scale): number | null {
  const numbers = scores.flatMap(({ score, scorer }) =>
    score === null || scaleOf(scorer) !== scale ? [] : [onScale(score, scale)],
  );
  return numbers.length === 0 ? null : mean(numbers);
}
