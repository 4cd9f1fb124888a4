import type { Result, ToolStats } from '../agent/question-result.js';
import { keyText, type SampleKey } from '../ids.js';
import { costOfQuestion } from '../models/usage.js';
import { type Score } from '../scoring/score.js';
import { onScale, scaleOf, type Scale } from '../scoring/verdict.js';
import { mean, sum, latenciesOf, percentile, type Latencies } from '../statistics/means.js';
import { addEnded, endedCount, noTotals, type EndedScore, type RunTotals } from './run-totals.js';

/** The size of a question's Temporal history. */
export interface QuestionHistory extends SampleKey {
  readonly historyBytes: number;
  readonly historyEvents: number;
  /** That Temporal Cloud bills. Null where its events were not counted. */
  readonly actions: number | null;
}

export interface QuestionFigures extends SampleKey {
  /** Null while it is under way. */
  readonly outcome: string | null;
  readonly turns: number;
  /** In numbers of its scale. */
  readonly score: number | null;
  readonly scale: Scale;
  /** Null if Temporal has no history of it any more, or was not asked. */
  readonly historyBytes: number | null;
  readonly historyEvents: number | null;
}

export interface RunFigures {
  readonly samples: number;
  readonly ended: number;
  readonly totals: RunTotals;
  /** Over all questions with a known history. Null if there are none. */
  readonly historyBytes: number | null;
  readonly historyEvents: number | null;
  /** Over the same questions. */
  readonly historyBytesPerTurn: number | null;
  /** The mean over the questions whose events were counted. Null if none were. */
  readonly actionsPerQuestion: number | null;
  /** Null before the first question has ended. */
  readonly tools: RunTools | null;
  readonly questions: readonly QuestionFigures[];
}

/** The figures of a run, from its files and the histories of its questions. */
export function runFigures(
  samples: number,
  results: readonly Result[],
  scores: readonly Score[],
  histories: readonly QuestionHistory[],
  inFlight: readonly SampleKey[] = [],
): RunFigures {
  const scoreOf = new Map(scores.map((score) => [keyText(score), score]));
  const resultOf = new Map(results.map((result) => [keyText(result), result]));
  const historyOf = new Map(histories.map((history) => [keyText(history), history]));
  const keys = new Map([...results, ...histories, ...inFlight].map((key) => [keyText(key), key]));
  const questions = [...keys].map(([name, { uuid, epoch }]): QuestionFigures => {
    const result = resultOf.get(name);
    const history = historyOf.get(name);
    return {
      uuid,
      epoch,
      outcome: result?.outcome.kind ?? null,
      turns: result?.turns ?? 0,
      ...shownScore(scoreOf.get(name)),
      historyBytes: history?.historyBytes ?? null,
      historyEvents: history?.historyEvents ?? null,
    };
  });
  const totals = results
    .map((result) => ({
      outcome: result.outcome.kind,
      turns: result.turns,
      usage: result.usage,
      cost: costOfQuestion(result.costUsd, result.usage.calls),
      ...endedScore(scoreOf.get(keyText(result))),
    }))
    .reduce(addEnded, noTotals);
  const measured = questions.filter(({ outcome, historyBytes }) => outcome && historyBytes);
  const bytes = sum(measured.map(({ historyBytes }) => historyBytes ?? 0));
  const turns = sum(measured.map((question) => question.turns));
  const actions = histories.flatMap((history) => history.actions ?? []);
  return {
    samples,
    ended: endedCount(totals),
    totals,
    historyBytes: measured.length > 0 ? bytes : null,
    historyEvents:
      measured.length > 0 ? sum(measured.map(({ historyEvents }) => historyEvents ?? 0)) : null,
    historyBytesPerTurn: turns > 0 ? Math.round(bytes / turns) : null,
    actionsPerQuestion: actions.length > 0 ? mean(actions) : null,
    tools: runTools(results.map(({ tools }) => tools)),
    questions,
  };
}

const endedScore = (score: Score | undefined): Required<EndedScore> => ({
  score: score?.score ?? null,
  scale: scaleOf(score?.scorer),
});

function shownScore(found: Score | undefined): Pick<QuestionFigures, 'score' | 'scale'> {
  const { score, scale } = endedScore(found);
  return { score: score === null ? null : onScale(score, scale), scale };
}

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
