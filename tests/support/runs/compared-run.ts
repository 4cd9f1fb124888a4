import type { ComparedRun } from '../../../domain/runs/compare-runs.js';
import type { Result } from '../../../domain/agent/question-result.js';
import type { ScoredSample } from '../../../domain/scoring/scored-sample.js';
import { exampleEnd } from './example-records.js';

/** A run of these samples, each answered by its own score unless said otherwise. */
export function comparedRun(
  run: string,
  samples: readonly ScoredSample[],
  changes: (sample: ScoredSample) => Partial<Result> = () => ({}),
): ComparedRun {
  return {
    run,
    ended: true,
    scorer: 'default scorer',
    samples,
    results: samples
      .filter(({ outcome }) => outcome !== null)
      .map((sample) => {
        const { verdict } = sample;
        const answer = verdict?.kind === 'scored' ? `an answer worth ${verdict.score}` : null;
        return {
          ...exampleEnd(sample).result,
          answer,
          turns: 4,
          costUsd: 0.01,
          ...changes(sample),
        };
      }),
  };
}
