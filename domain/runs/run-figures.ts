import type { Result } from '../agent/question-result.js';
import { keyText, type SampleKey } from '../ids.js';
import { costOfQuestion } from '../models/usage.js';
import { onScale, scaleOf, type Scale } from '../scoring/scale.js';
import type { Score } from '../scoring/score.js';
import { mean, sum } from '../statistics/means.js';
import { runTools, type RunTools } from './run-tools.js';
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
