import { keyText } from '../../ids.js';
import type { Result } from '../../questions/result.js';
import { scoreOf, type ScoredSample } from '../../reports/scored-sample.js';

/** Whether a question came out right, less than right, or has no score. */
export const turnStandings = ['right', 'not right', 'no score'] as const;

export interface TurnCount {
  readonly turns: number;
  readonly standing: (typeof turnStandings)[number];
  readonly questions: number;
}

/** How many questions took how many turns, by what became of them; from the fewest to the most turns. */
export function turnCounts(
  samples: readonly ScoredSample[],
  results: readonly Result[],
): readonly TurnCount[] {
  const standingOf = new Map(samples.map((sample) => [keyText(sample), standing(sample)]));
  const counts = new Map<number, Map<TurnCount['standing'], number>>();
  for (const result of results) {
    const of = standingOf.get(keyText(result)) ?? 'no score';
    const each = counts.get(result.turns) ?? new Map<TurnCount['standing'], number>();
    counts.set(result.turns, each.set(of, (each.get(of) ?? 0) + 1));
  }
  return [...counts]
    .sort(([a], [b]) => a - b)
    .flatMap(([turns, each]) =>
      turnStandings.flatMap((name) => {
        const questions = each.get(name);
        return questions === undefined ? [] : [{ turns, standing: name, questions }];
      }),
    );
}

function standing(sample: ScoredSample): TurnCount['standing'] {
  const score = scoreOf(sample);
  if (score === null) return 'no score';
  return score === 1 ? 'right' : 'not right';
}
