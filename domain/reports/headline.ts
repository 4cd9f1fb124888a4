import { estimateOf, type Estimate } from './estimate.js';
import { clusterOf, scoreOf, verdictCountOf, type ScoredSample } from './scored-sample.js';

/** What a set of samples scored, and what is not known of it. */
export interface Headline {
  readonly samples: number;
  /** Those that can have a score at all: they name an evaluator. */
  readonly scorable: number;
  readonly scored: number;
  /** Scorable, and without a score: under way, failed for outside reasons, or not judged. */
  readonly unresolved: number;
  /** Over the scored ones alone; null where there are none. */
  readonly score: Estimate | null;
  /** The mean if all that is unresolved came to 0, and if it came to 1; null where nothing can have a score. */
  readonly bounds: { readonly worst: number; readonly best: number } | null;
}

export function headlineOf(samples: readonly ScoredSample[]): Headline {
  const scorable = samples.filter((sample) => verdictCountOf(sample) !== 'no-evaluator');
  const scores = scorable.flatMap((sample) => {
    const score = scoreOf(sample);
    return score === null ? [] : [{ score, cluster: clusterOf(sample) }];
  });
  const total = scores.reduce((sum, { score }) => sum + score, 0);
  const unresolved = scorable.length - scores.length;
  return {
    samples: samples.length,
    scorable: scorable.length,
    scored: scores.length,
    unresolved,
    score: estimateOf(scores),
    bounds:
      scorable.length === 0
        ? null
        : { worst: total / scorable.length, best: (total + unresolved) / scorable.length },
  };
}
