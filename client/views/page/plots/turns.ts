import { grouped } from '../../../../domain/formats/text.js';
import { resultsIn, scoreOf, type RunAnswer } from '../../../../domain/scoring/answer.js';
import { percentile } from '../../../../domain/statistics/means.js';
import { colours, type Plot, type PlottedRun } from './draw.js';

/** Whether a question has the full score, less, or none. */
const correctnessLevels = ['right', 'not right', 'no score'] as const;

export interface TurnCount {
  readonly turns: number;
  readonly correctness: (typeof correctnessLevels)[number];
  readonly questions: number;
}

/** The number of questions by turns and correctness, in ascending order of turns. */
export function turnCounts(answers: readonly RunAnswer[]): readonly TurnCount[] {
  const counts = new Map<number, Map<TurnCount['correctness'], number>>();
  for (const answer of answers) {
    if (answer.result === null) continue;
    const { turns } = answer.result;
    const level = correctness(answer);
    const each = counts.get(turns) ?? new Map<TurnCount['correctness'], number>();
    counts.set(turns, each.set(level, (each.get(level) ?? 0) + 1));
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

function correctness(answer: RunAnswer): TurnCount['correctness'] {
  const score = scoreOf(answer);
  if (score === null) return 'no score';
  return score === 1 ? 'right' : 'not right';
}

/** The turns of questions, by correctness; null if no question has ended. */
export function turnsPlot({ reported: { answers } }: PlottedRun): Plot | null {
  const counts = turnCounts(answers);
  if (counts.length === 0) return null;
  const turns = resultsIn(answers).map((result) => result.turns);
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
