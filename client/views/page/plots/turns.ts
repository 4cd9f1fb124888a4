import type { Result } from '../../../../domain/agent/question-result.js';
import { grouped } from '../../../../domain/formats/text.js';
import { keyText } from '../../../../domain/ids.js';
import { scoreOf, type ScoredSample } from '../../../../domain/scoring/scored-sample.js';
import { percentile } from '../../../../domain/statistics/latencies.js';
import { colours, type Plot, type PlottedRun } from './draw.js';

/** Whether a question has the full score, less, or none. */
const correctnessLevels = ['right', 'not right', 'no score'] as const;

export interface TurnCount {
  readonly turns: number;
  readonly correctness: (typeof correctnessLevels)[number];
  readonly questions: number;
}

/** The number of questions by turns and correctness, in ascending order of turns. */
export function turnCounts(
  samples: readonly ScoredSample[],
  results: readonly Result[],
): readonly TurnCount[] {
  const correctnessOf = new Map(samples.map((sample) => [keyText(sample), correctness(sample)]));
  const counts = new Map<number, Map<TurnCount['correctness'], number>>();
  for (const result of results) {
    const level = correctnessOf.get(keyText(result)) ?? 'no score';
    const each = counts.get(result.turns) ?? new Map<TurnCount['correctness'], number>();
    counts.set(result.turns, each.set(level, (each.get(level) ?? 0) + 1));
  }
  return [...counts]
    .sort(([a], [b]) => a - b)
    .flatMap(([turns, each]) =>
      correctnessLevels.flatMap((level) => {
        const questions = each.get(level);
        return questions === undefined ? [] : [{ turns, correctness: level, questions }];
      }),
    );
}

function correctness(sample: ScoredSample): TurnCount['correctness'] {
  const score = scoreOf(sample);
  if (score === null) return 'no score';
  return score === 1 ? 'right' : 'not right';
}

/** The turns of questions, by correctness; null if no question has ended. */
export function turnsPlot({ reported: { samples, results } }: PlottedRun): Plot | null {
  const counts = turnCounts(samples, results);
  if (counts.length === 0) return null;
  const turns = results.map((result) => result.turns);
  const used = [...new Set(counts.map((count) => count.turns))];
  const questionsOf = (turn: number, level: string): number =>
    counts.find((count) => count.turns === turn && count.correctness === level)?.questions ?? 0;
  return {
    text: {
      title: 'Turns',
      words: `How many questions took how many turns, by correctness: half took ${percentile(turns, 50)} or fewer, the longest ${percentile(turns, 100)}.`,
      heads: ['turns', ...correctnessLevels],
      rows: used.map((turn) => [
        grouped(turn),
        ...correctnessLevels.map((level) => grouped(questionsOf(turn, level))),
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
          field: 'correctness',
          type: 'nominal',
          scale: {
            domain: [...correctnessLevels],
            range: [colours.accent, colours.soft, colours.line],
          },
        },
        order: { field: 'correctness', sort: 'descending' },
      },
    },
  };
}
