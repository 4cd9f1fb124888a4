import type { Result } from '../../../../domain/agent/question-result.js';
import { grouped } from '../../../../domain/formats/text.js';
import { keyText } from '../../../../domain/ids.js';
import { scoreOf, type ScoredSample } from '../../../../domain/scoring/scored-sample.js';
import { percentile } from '../../../../domain/statistics/latencies.js';
import { colours, type Plot, type PlottedRun } from './draw.js';

/** Whether a question came out right, less than right, or has no score. */
const turnStandings = ['right', 'not right', 'no score'] as const;

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

/** How many turns questions took, and what became of them; null where none has ended. */
export function turnsPlot({ reported: { samples, results } }: PlottedRun): Plot | null {
  const counts = turnCounts(samples, results);
  if (counts.length === 0) return null;
  const turns = results.map((result) => result.turns);
  const used = [...new Set(counts.map((count) => count.turns))];
  const of = (turn: number, standing: string): number =>
    counts.find((count) => count.turns === turn && count.standing === standing)?.questions ?? 0;
  return {
    text: {
      title: 'Turns',
      words: `How many questions took how many turns, by what became of them: half took ${percentile(turns, 50)} or fewer, the longest ${percentile(turns, 100)}.`,
      heads: ['turns', ...turnStandings],
      rows: used.map((turn) => [
        grouped(turn),
        ...turnStandings.map((standing) => grouped(of(turn, standing))),
      ]),
    },
    drawing: {
      height: 160,
      data: { values: counts },
      mark: { type: 'bar', stroke: 'var(--paper)', strokeWidth: 0.5 },
      encoding: {
        x: {
          field: 'turns',
          type: 'ordinal',
          title: 'turns',
          axis: { labelAngle: 0, labelOverlap: true },
        },
        y: { field: 'questions', type: 'quantitative', title: 'questions' },
        color: {
          field: 'standing',
          type: 'nominal',
          scale: {
            domain: [...turnStandings],
            range: [colours.accent, colours.soft, colours.line],
          },
        },
        order: { field: 'standing', sort: 'descending' },
      },
    },
  };
}
