import type { Category } from '../../scoring/dataset-item.js';
import { correlationOf, type Correlation } from '../../statistics/correlation.js';
import type { Interval } from '../../statistics/means.js';
import { matchOf } from './agent-figures.js';
import { matchScore, validQueries, type AnswerRecord } from './answer-record.js';

/** The quality of answers by their number of valid queries (paper, Fig. 4). */
export interface ValidQueryBins {
  readonly category: Category;
  /** In ascending order; without empty bins. */
  readonly bins: readonly ValidQueryBin[];
  /** Point-biserial for conclusive questions, Spearman's for interpretive ones. Null if nothing varies. */
  readonly correlation: Correlation | null;
}

interface ValidQueryBin {
  /** `0` to `5`, or `6+`. */
  readonly valid: string;
  readonly count: number;
  /** Of the match scores. */
  readonly mean: number | null;
  readonly interval: Interval | null;
}

const openBin = 6;
const binLabels = [...Array.from({ length: openBin }, (_, valid) => String(valid)), `${openBin}+`];

/** Over the answered questions with a score whose agent could question the database. */
export function validQueryBins(category: Category, all: readonly AnswerRecord[]): ValidQueryBins {
  const answers = all.filter(
    (answer) =>
      answer.category === category &&
      answer.method !== 'no-interaction' &&
      answer.outcome === 'answered' &&
      matchScore(answer) !== null,
  );
  const binOf = (answer: AnswerRecord): number => Math.min(openBin, validQueries(answer));
  return {
    category,
    bins: binLabels.flatMap((valid, bin) => {
      const own = answers.filter((answer) => binOf(answer) === bin);
      return own.length === 0 ? [] : [{ valid, count: own.length, ...matchOf(category, own) }];
    }),
    correlation: correlationOf(
      category === 'conclusive' ? 'point-biserial' : 'spearman',
      answers.map((answer) => [validQueries(answer), matchScore(answer) ?? NaN]),
      new Set(answers.map(({ uuid }) => uuid)).size,
    ),
  };
}
