import type { SampleKey } from '../ids.js';
import type { OutcomeKind } from '../questions/outcome.js';
import type { Pair, PairSide } from './pairs.js';

/** A question that two runs score differently. */
export interface Flip extends SampleKey {
  readonly direction: 'better' | 'worse';
  /**
   * - `outcome`: they ended differently
   * - `answer`: they gave different answers
   * - `scoring`: the same answer was scored differently
   */
  readonly because: 'outcome' | 'answer' | 'scoring';
  readonly baseline: FlipSide;
  readonly candidate: FlipSide;
}

export interface FlipSide {
  readonly score: number;
  /** Null where nothing says how it ended. */
  readonly outcome: OutcomeKind | null;
  readonly answer: string | null;
  readonly turns: number | null;
  /** What the scorer gave as its reason; null where it gave none. */
  readonly rationale: string | null;
}

export const flipsOf = (pairs: readonly Pair[]): readonly Flip[] =>
  pairs
    .filter(({ baseline, candidate }) => baseline.score !== candidate.score)
    .map(({ uuid, epoch, ...pair }) => {
      const [baseline, candidate] = [flipSide(pair.baseline), flipSide(pair.candidate)];
      return {
        uuid,
        epoch,
        direction: candidate.score > baseline.score ? 'better' : 'worse',
        because: reasonOf(baseline, candidate),
        baseline,
        candidate,
      };
    });

const flipSide = ({ score, verdict, result }: PairSide): FlipSide => ({
  score,
  outcome: result?.outcome.kind ?? null,
  answer: result?.answer ?? null,
  turns: result?.turns ?? null,
  rationale: verdict.kind === 'scored' ? (verdict.rationale ?? null) : null,
});

function reasonOf(baseline: FlipSide, candidate: FlipSide): Flip['because'] {
  if (baseline.outcome !== candidate.outcome) return 'outcome';
  return baseline.answer === candidate.answer ? 'scoring' : 'answer';
}
