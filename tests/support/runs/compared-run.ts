import type { Result } from '../../../domain/agent/question-result.js';
import type { ComparedRun } from '../../../domain/runs/compare-runs.js';
import { scoreOf, type RunAnswer } from '../../../domain/scoring/answer.js';
import { exampleManifest } from './example-manifest.js';

/** A run of these answers, each given by its own score unless said otherwise. */
export function comparedRun(
  run: string,
  answers: readonly RunAnswer[],
  changes: (answer: RunAnswer) => Partial<Result> = () => ({}),
): ComparedRun {
  return {
    run,
    ended: true,
    scorer: 'default scorer',
    manifest: exampleManifest(),
    answers: answers.map((each): RunAnswer => {
      const score = scoreOf(each);
      return {
        ...each,
        result: each.result && {
          ...each.result,
          answer: score === null ? null : `an answer worth ${score}`,
          turns: 4,
          costUsd: 0.01,
          ...changes(each),
        },
      };
    }),
  };
}
