import { endedForOutsideReasons } from '../../agent/question-result.js';
import {
  evaluatorOfCategory,
  type Category,
  type DatasetItem,
} from '../../scoring/dataset-item.js';
import { fromScale, scaleOf, type Scale } from '../../scoring/verdict.js';
import {
  clusterOf,
  clustersOf,
  estimateOf,
  estimateOnScale,
  type ClusteredScore,
} from '../../scoring/score-estimate.js';
import { clusteredMean, type Range } from '../../statistics/intervals.js';
import { countsOf, groupsOf, type Interval, mean, median, sum } from '../../statistics/means.js';
import {
  generatedQueries,
  isWithoutInteraction,
  matchScore,
  validQueries,
  wordsIn,
  type Agent,
  type AgentAnswers,
  type AnswerRecord,
} from './answer-record.js';

/** A mean and its 95 % interval. Both null without values; the interval also if all values are of one cluster. */
export interface Average {
  readonly mean: number | null;
  readonly interval: Interval | null;
}

const unknown: Average = { mean: null, interval: null };

/** What is averaged over answers, in the columns of the paper's Table 2 and beside them. Null: unknown. */
const measures = {
  /** In words. The unit of the published lengths is not stated. */
  planWords: ({ plan }) => wordsIn(plan),
  planTokens: ({ plan }) => plan.tokens ?? null,
  generated: (answer) => generatedQueries(answer).length,
  valid: validQueries,
  /** Without error, with or without rows. */
  executable: (answer) =>
    generatedQueries(answer).filter(({ status }) => status === 'rows' || status === 'empty').length,
  answerWords: ({ answer }) => wordsIn(answer),
  answerTokens: ({ answer }) => answer.tokens ?? null,
} as const satisfies Readonly<Record<string, (answer: AnswerRecord) => number | null>>;

export type Measure = keyof typeof measures;
const measureNames = Object.keys(measures) as Measure[];

/** The answers of an agent to the questions of one category. Means are over the answered questions, `match` over the scored ones. */
export interface CategoryFigures extends Readonly<Record<Measure | 'match', number | null>> {
  /** Questions times epochs that have ended. */
  readonly questions: number;
  readonly answered: number;
  /** Questions that ended for reasons outside the model. They enter no mean. */
  readonly failed: number;
  readonly scored: number;
  /** The share of questions that more than half of their scored epochs match. Null for interpretive ones, and for one epoch. */
  readonly majority: number | null;
  /** Answered questions without a score, and why. */
  readonly unscored: number;
  readonly reasons: Readonly<Record<string, number>>;
  /** Answered questions whose agent never questioned the database. */
  readonly withoutInteraction: number;
  /** Answered questions whose agent used up its turns. */
  readonly capped: number;
  /** The 95 % intervals of the means, by clusters. */
  readonly intervals: Readonly<Record<Measure | 'match', Interval | null>>;
}

/** A row of the paper's Table 2. */
export type AgentFigures = Agent &
  Readonly<Record<Category, CategoryFigures>> & {
    /** Answers to questions without a category, which are in no column. */
    readonly withoutCategory: number;
  };

export function agentFigures({ agent, answers }: AgentAnswers): AgentFigures {
  return {
    ...agent,
    ...byCategory((category) => categoryFigures(category, answers)),
    withoutCategory: answers.filter(({ category }) => category === null).length,
  };
}

function categoryFigures(category: Category, all: readonly AnswerRecord[]): CategoryFigures {
  const own = all.filter((answer) => answer.category === category);
  const answered = own.filter(({ outcome }) => outcome === 'answered');
  const unscored = answered.filter((answer) => matchScore(answer) === null);
  const match = matchOf(category, own);
  const averages = measureNames.map((name) => [name, averageOf(answered, measures[name])] as const);
  // The casts name the keys of `measures`, which `fromEntries` forgets.
  const means = Object.fromEntries(averages.map(([name, { mean }]) => [name, mean])) as Readonly<
    Record<Measure, number | null>
  >;
  const intervals = Object.fromEntries(
    averages.map(([name, { interval }]) => [name, interval]),
  ) as Readonly<Record<Measure, Interval | null>>;
  return {
    questions: own.length,
    answered: answered.length,
    failed: own.filter(({ outcome }) => endedForOutsideReasons[outcome]).length,
    scored: scoresOf(own).length,
    unscored: unscored.length,
    reasons: Object.fromEntries(
      countsOf(
        unscored.map(({ verdict }) =>
          verdict?.kind === 'unscored' ? verdict.reason : 'not-judged',
        ),
      ),
    ),
    majority: category === 'conclusive' ? majorityOf(own) : null,
    match: match.mean,
    ...means,
    withoutInteraction: answered.filter(isWithoutInteraction).length,
    capped: answered.filter(({ stoppedBy }) => stoppedBy === 'cap').length,
    intervals: { match: match.interval, ...intervals },
  };
}

function majorityOf(answers: readonly AnswerRecord[]): number | null {
  const epochs = [...groupsOf(answers, ({ uuid }) => uuid).values()]
    .map((own) => own.flatMap((answer) => matchScore(answer) ?? []))
    .filter((scores) => scores.length > 0);
  if (epochs.every(({ length }) => length === 1)) return null;
  return mean(epochs.map((scores) => Number(mean(scores) > 0.5)));
}

const anyCount: Range = { least: 0, most: Infinity };

/** Null if a value is unknown. */
function averageOf(
  answers: readonly AnswerRecord[],
  measure: (answer: AnswerRecord) => number | null,
): Average {
  const values = answers.flatMap((answer) => {
    const score = measure(answer);
    return score === null ? [] : [{ cluster: clusterOf(answer), score }];
  });
  if (values.length === 0 || values.length < answers.length) return unknown;
  const { mean, interval, clusters } = clusteredMean(clustersOf(values), anyCount);
  return {
    mean,
    interval: clusters < 2 ? null : interval,
  };
}

const scoresOf = (answers: readonly AnswerRecord[]): readonly ClusteredScore[] =>
  answers.flatMap((answer) => {
    const score = matchScore(answer);
    return score === null ? [] : [{ cluster: clusterOf(answer), score }];
  });

/** The scale of a category's match. */
export const scaleOfCategory = (category: Category): Scale =>
  scaleOf(evaluatorOfCategory[category]);

/** The match rate (conclusive) or the match score (interpretive): the mean over scored answers, which must be of that category. */
export function matchOf(category: Category, answers: readonly AnswerRecord[]): Average {
  const scale = scaleOfCategory(category);
  const estimate = estimateOf(
    scoresOf(answers).map(({ cluster, score }) => ({ cluster, score: fromScale(score, scale) })),
  );
  if (estimate === null) return unknown;
  const { mean, interval } = estimateOnScale(estimate, scale);
  return { mean, interval };
}

/** Both categories, never mixed: every table has them as a pair, C / I. */
export const byCategory = <T>(of: (category: Category) => T): Readonly<Record<Category, T>> => ({
  conclusive: of('conclusive'),
  interpretive: of('interpretive'),
});

/** A dataset of questions about databases (paper, Table 1). Null where nothing is known. */
export interface DatasetFigures extends Readonly<Record<Category, number>> {
  /** Questions. */
  readonly size: number;
  readonly withoutCategory: number;
  /** Mean words of the gold answers. */
  readonly referenceWords: Readonly<Record<Category, number | null>>;
  /** Distinct databases with a known description. The medians are over these. */
  readonly databases: number;
  readonly tables: number | null;
  /** The paper does not say whether it counts these by table or by database. */
  readonly columns: Medians;
  readonly records: Medians;
}

interface Medians {
  readonly perTable: number | null;
  readonly perDatabase: number | null;
}

interface Table {
  /** Null if unknown. */
  readonly rows: number | null;
  readonly columns: readonly unknown[];
}

export function datasetFigures(
  items: readonly Pick<DatasetItem, 'category' | 'referenceAnswer'>[],
  databases: readonly { readonly tables: readonly Table[] }[],
): DatasetFigures {
  const counts = byCategory(
    (category) => items.filter((item) => item.category === category).length,
  );
  const medians = (countOf: (table: Table) => number | null): Medians => {
    const counts = databases.map(({ tables }) => tables.flatMap((table) => countOf(table) ?? []));
    return {
      perTable: medianOf(counts.flat()),
      perDatabase: medianOf(counts.filter(({ length }) => length > 0).map(sum)),
    };
  };
  return {
    size: items.length,
    ...counts,
    withoutCategory: items.length - counts.conclusive - counts.interpretive,
    referenceWords: byCategory((category) => {
      const lengths = items.flatMap((item) =>
        item.category === category && item.referenceAnswer !== undefined
          ? [wordsIn({ text: item.referenceAnswer })]
          : [],
      );
      return lengths.length === 0 ? null : mean(lengths);
    }),
    databases: databases.length,
    tables: medianOf(databases.map(({ tables }) => tables.length)),
    columns: medians(({ columns }) => columns.length),
    records: medians(({ rows }) => rows),
  };
}

const medianOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : median(values);
