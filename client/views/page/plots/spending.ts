import type { Result } from '../../../../domain/agent/question-result.js';
import { decimals, grouped } from '../../../../domain/formats/text.js';
import { dollars } from '../../../../domain/models/usage.js';
import { rangeOf, scaleLabels, type Scale } from '../../../../domain/scoring/verdict.js';
import {
  estimateOf,
  estimateOnScale,
  clusterOf,
  type Estimate,
  type ClusteredScore,
} from '../../../../domain/scoring/score-estimate.js';
import { resultsIn, scaleOfAnswer, scoreOf } from '../../../../domain/scoring/answer.js';
import { mean } from '../../../../domain/statistics/means.js';
import { colours, type Plot, type PlottedRun } from './draw.js';

/** The cost and the score of a question. */
export interface Spending extends ClusteredScore {
  readonly spent: number;
}

/** Questions of similar cost. */
export interface SpendingGroup {
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

const groupsShown = 10;

/**
 * The score against the cost of questions, or against their tokens if no price is known. Null if too few questions have a
 * score.
 */
export function spendingPlot(
  { reported: { answers } }: PlottedRun,
  scale: Scale = 'unit',
): Plot | null {
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
    groupsShown,
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
          score: mean,
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
      layer: [
        {
          mark: { type: 'rule', color: colours.accent, strokeWidth: 1.5 },
          encoding: {
            y: {
              field: 'low',
              type: 'quantitative',
              scale: { domain: [rangeOf[scale].least, rangeOf[scale].most] },
              title: 'score',
            },
            y2: { field: 'high' },
          },
        },
        {
          mark: { type: 'point', filled: true, size: 50, color: colours.accent, opacity: 1 },
          encoding: { y: { field: 'score', type: 'quantitative' } },
        },
      ],
    },
  };
}
