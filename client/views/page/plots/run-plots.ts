import { scales, type Scale, rangeOf, scaleLabels } from '../../../../domain/scoring/verdict.js';
import type { Markup } from '../markup.js';
import { callsPlot, latencyPlot, toolErrorsPlot } from './call-plots.js';
import {
  colours,
  draw,
  plotFigure,
  pointsWithIntervals,
  valueAxis,
  type Plot,
  type PlottedRun,
} from './draw.js';
import { decimals, grouped } from '../../../../domain/formats/text.js';
import type { Result } from '../../../../domain/agent/question-result.js';
import { dollars } from '../../../../domain/models/usage.js';
import {
  estimateOf,
  estimateOnScale,
  type Estimate,
  clusterOf,
  type ClusteredScore,
} from '../../../../domain/scoring/score-estimate.js';
import {
  resultsIn,
  scaleOfAnswer,
  scoreOf,
  type RunAnswer,
} from '../../../../domain/scoring/answer.js';
import { mean, percentile } from '../../../../domain/statistics/means.js';

/** Whether a question has the full score, less, or none. */
const correctnessLevels = ['right', 'not right', 'no score'] as const;

interface TurnCount {
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
function turnsPlot({ reported: { answers } }: PlottedRun): Plot | null {
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

/** The cost and the score of a question. */
interface Spending extends ClusteredScore {
  readonly spent: number;
}

/** Questions of similar cost. */
interface SpendingGroup {
  readonly questions: number;
  /** Their mean cost. */
  readonly spent: number;
  readonly score: Estimate;
}

/** Sorts questions by cost and divides them into at most `most` groups of about equal size, the cheapest first. */
export function spendingGroups(
  questions: readonly Spending[],
  most: number,
): readonly SpendingGroup[] {
  const sorted = questions.toSorted((a, b) => a.spent - b.spent);
  const groups = Math.min(most, Math.floor(sorted.length / 5) || 1);
  return Array.from({ length: groups }, (_, at) =>
    sorted.slice((at * sorted.length) / groups, ((at + 1) * sorted.length) / groups),
  ).flatMap((members): SpendingGroup[] => {
    const score = estimateOf(members);
    return score === null
      ? []
      : [{ questions: members.length, spent: mean(members.map(({ spent }) => spent)), score }];
  });
}

const costsShown = 10;

/**
 * The score against the cost of questions, or against their tokens if no price is known. Null if too few questions have a
 * score.
 */
function spendingPlot({ reported: { answers } }: PlottedRun, scale: Scale = 'unit'): Plot | null {
  const inDollars = resultsIn(answers).some(({ costUsd }) => costUsd !== null && costUsd > 0);
  const spentOn = ({ costUsd, usage }: Result): number | null =>
    inDollars ? costUsd : usage.promptTokens + usage.completionTokens;
  const groups = spendingGroups(
    answers.flatMap((answer) => {
      const score = scaleOfAnswer(answer) === scale ? scoreOf(answer) : null;
      const spent = answer.result && spentOn(answer.result);
      if (score === null || spent === null) return [];
      return [{ score, spent, cluster: clusterOf(answer.item) }];
    }),
    costsShown,
  ).map((group) => ({ ...group, score: estimateOnScale(group.score, scale) }));
  const [first] = groups;
  const last = groups.at(-1);
  if (first === undefined || last === undefined || groups.length < 2) return null;
  const unit = inDollars ? 'cost' : 'tokens';
  const amount = inDollars ? dollars : grouped;
  return {
    text: {
      title: `${inDollars ? 'Cost' : 'Tokens'} against score${scaleLabels[scale]}`,
      words: `Scored questions in ${groups.length} groups of equal size by what they took, each with its mean score and 95 % interval. The cheapest group took ${amount(first.spent)} each and scored ${decimals(first.score.mean)}, the others up to ${amount(last.spent)} and ${decimals(last.score.mean)}.${inDollars ? '' : ' Nothing was paid, or no price is known: tokens stand for the cost.'}`,
      heads: [unit, 'score', '95 % between', 'questions'],
      rows: groups.map(({ spent, score, questions }) => [
        amount(spent),
        decimals(score.mean),
        `${decimals(score.interval.low)} – ${decimals(score.interval.high)}`,
        grouped(questions),
      ]),
    },
    drawing: {
      height: 160,
      data: {
        values: groups.map(({ spent, score: { mean, interval } }) => ({
          spent,
          value: mean,
          ...interval,
        })),
      },
      encoding: {
        x: {
          field: 'spent',
          type: 'quantitative',
          title: inDollars ? 'US dollars a question' : 'tokens a question',
          scale: { zero: true },
          axis: { format: inDollars ? '$~r' : '~s', tickCount: 6 },
        },
      },
      layer: pointsWithIntervals('y', valueAxis(rangeOf[scale]), 'score'),
    },
  };
}

const groupsShown = 20;

const titles: Readonly<Record<string, string>> = {
  tags: 'Score by tag',
  'evaluator.eval_func': 'Score by evaluator',
};

/** The scores by tag, or by evaluator if tags do not divide the questions; null if neither does. */
function scoreByGroup({ reported: { ledger } }: PlottedRun, scale: Scale = 'unit'): Plot | null {
  const field = ledger.groups
    .map(({ field: name, scores }) => ({
      name,
      scores: scores.filter((each) => each.scale === scale),
    }))
    .find(
      ({ name, scores }) =>
        name in titles && scores.filter(({ score }) => score !== null).length > 1,
    );
  if (field === undefined) return null;
  const scored = field.scores
    .flatMap(({ group, score, scored: count }) => (score ? [{ group, score, count }] : []))
    .sort((a, b) => b.count - a.count)
    .slice(0, groupsShown)
    .sort((a, b) => b.score.mean - a.score.mean);
  const [best, worst] = [scored[0], scored.at(-1)];
  const values = scored.map(({ group, score, count }) => ({
    group: `${group} (${grouped(count)})`,
    value: score.mean,
    ...score.interval,
  }));
  return {
    text: {
      title: `${titles[field.name] ?? field.name}${scaleLabels[scale]}`,
      words: `Means with their 95 % intervals and the number of scored questions. ${
        best && worst && best.score.mean > worst.score.mean
          ? `The highest is ${best.group} with ${decimals(best.score.mean)}, the lowest ${worst.group} with ${decimals(worst.score.mean)}.`
          : ''
      }${scored.length < field.scores.length ? ` The ${scored.length} largest of ${field.scores.length} groups.` : ''}`,
      // The ledger has these figures.
      heads: [],
      rows: [],
    },
    drawing: {
      width: 280,
      height: { step: 20 },
      data: { values },
      layer: pointsWithIntervals('x', valueAxis(rangeOf[scale]), 'score', {
        y: { field: 'group', type: 'nominal', sort: null, title: null },
      }),
    },
  };
}

/** A plot for each scale that has scores. */
const onEachScale =
  (plot: (run: PlottedRun, scale: Scale) => Plot | null) =>
  (run: PlottedRun): readonly Plot[] =>
    scales.flatMap((scale) => plot(run, scale) ?? []);

const plots = [
  onEachScale(scoreByGroup),
  turnsPlot,
  onEachScale(spendingPlot),
  latencyPlot,
  toolErrorsPlot,
  callsPlot,
];

/** All plots for which the run has data. @param level - of their headings */
export const runPlots = (run: PlottedRun, level: 3 | 4): Promise<readonly Markup[]> =>
  plotsOf(
    plots.flatMap((plot) => plot(run)),
    level,
  );

export const plotsOf = (some: readonly (Plot | null)[], level: 3 | 4): Promise<readonly Markup[]> =>
  Promise.all(
    some
      .flatMap((plot) => plot ?? [])
      .map(async ({ text, drawing }) => plotFigure(text, drawing && (await draw(drawing)), level)),
  );
