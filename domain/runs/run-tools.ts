import { latenciesOf, percentile, sum, type Latencies } from '../statistics/means.js';
import type { ToolStats } from '../agent/question-result.js';

type Counts = ToolStats['sqlErrors'];

/** The tool statistics of a run, over all its questions. */
export interface RunTools extends Pick<
  ToolStats,
  | 'sqlErrors'
  | 'searchErrors'
  | 'imageErrors'
  | 'calculationErrors'
  | 'emptyResults'
  | 'repeatedQueries'
  | 'rowsCut'
  | 'parseErrors'
> {
  readonly sqlMs: LatencySummary | null;
  readonly searchMs: LatencySummary | null;
  /** The median over the questions with a non-empty result. Null if there are none. */
  readonly firstNonEmptyTurn: number | null;
  readonly hits: NonNullable<ToolStats['hits']>;
  /** Questions whose answer has values that no observation shows, and those whose answer was cut off. */
  readonly ungroundedAnswers: number;
  readonly answersCutOff: number;
  /** The number of questions in which every statement and search had an empty result. */
  readonly questionsWithoutResult: number;
}

export interface LatencySummary {
  readonly calls: number;
  readonly p50: number;
  readonly p95: number;
}

/** Null for a run without questions. */
export function runTools(stats: readonly ToolStats[]): RunTools | null {
  if (stats.length === 0) return null;
  const firstTurns = stats.flatMap(({ firstNonEmptyTurn }) => firstNonEmptyTurn ?? []);
  return {
    sqlErrors: addCounts(stats.map(({ sqlErrors }) => sqlErrors)),
    searchErrors: addCounts(stats.map(({ searchErrors }) => searchErrors)),
    imageErrors: addCounts(stats.map(({ imageErrors }) => imageErrors)),
    calculationErrors: addCounts(stats.map(({ calculationErrors }) => calculationErrors)),
    emptyResults: sum(stats.map(({ emptyResults }) => emptyResults)),
    repeatedQueries: sum(stats.map(({ repeatedQueries }) => repeatedQueries)),
    rowsCut: sum(stats.map(({ rowsCut }) => rowsCut)),
    parseErrors: addCounts(stats.map(({ parseErrors }) => parseErrors)),
    sqlMs: summary(stats.map(({ sqlMs }) => sqlMs)),
    searchMs: summary(stats.map(({ searchMs }) => searchMs)),
    firstNonEmptyTurn: firstTurns.length === 0 ? null : percentile(firstTurns, 50),
    hits: {
      all: sum(stats.map(({ hits }) => hits?.all ?? 0)),
      outside: sum(stats.map(({ hits }) => hits?.outside ?? 0)),
    },
    ungroundedAnswers: stats.filter(({ ungrounded = [] }) => ungrounded.length > 0).length,
    answersCutOff: stats.filter(({ answerCutOff = false }) => answerCutOff).length,
    questionsWithoutResult: stats.length - firstTurns.length,
  };
}

function summary(latencies: readonly (Latencies | null)[]): LatencySummary | null {
  const all = latenciesOf(latencies.flatMap((each) => each?.each ?? []));
  return all && { calls: all.each.length, p50: all.p50, p95: all.p95 };
}

function addCounts(counts: readonly Counts[]): Counts {
  const total = new Map<string, number>();
  for (const [name, count] of counts.flatMap(Object.entries<number>)) {
    total.set(name, (total.get(name) ?? 0) + count);
  }
  return Object.fromEntries(total);
}
