import { preview } from '../formats/text.js';
import { z } from 'zod';
import { truncateAnswer } from '../agent/observations/observation.js';
import {
  type FinishedTurn,
  costOfReply,
  sumOfCosts,
  usageOf,
  type ReplyRecord,
} from '../agent/turn-record.js';
import {
  questionTimesOf,
  isAnswer,
  resultSchema,
  toolStatsOf,
  answerersOf,
  type Outcome,
} from '../agent/question-result.js';
import type { FailureName } from '../failure-type.js';
import type { SampleKey } from '../ids.js';
import { addUsage, costOfQuestion, noUsage, type Usage } from '../models/usage.js';
import { sum } from '../statistics/means.js';
import { evaluatorOf, type DatasetItem } from '../scoring/dataset-item.js';
import { needsExecution, scorerName } from '../scoring/execution-match/execution-options.js';
import { type Execution } from '../scoring/execution-match/execution.js';
import {
  judgedScore,
  type JudgeReplies,
  type JudgedScore,
} from '../scoring/judging/judged-score.js';
import { scoreAnswer, scoreOutcome } from '../scoring/score-answer.js';
import { scoreSchema } from '../scoring/score.js';
import { unscored, scaleOf, type Verdict } from '../scoring/verdict.js';
import { ownScorerOf } from '../scoring/own-scorer.js';
import { trajectoryFile } from './run-manifest.js';
import type { EndedQuestion } from './run-totals.js';

/** All inputs of a question's result and score. */
export interface QuestionAtEnd extends SampleKey {
  readonly item: DatasetItem;
  readonly turns: readonly FinishedTurn[];
  /** A stored reply whose action did not end. Null if there is none. */
  readonly unfinished: ReplyRecord | null;
  readonly outcome: Outcome;
  readonly strict: boolean;
  /** Whether its method answers from a context, which is in none of the turns. @defaultValue false */
  readonly hasContext?: boolean;
  /** Null if the run has no judges. */
  readonly judgeReplies: JudgeReplies | null;
  /** The results of the answer's SQL and the gold SQL. Null if nothing was executed. */
  readonly execution: Execution | null;
  /** Why nothing was executed, although the evaluator needs it. */
  readonly executionFailure?: string;
  /** The stored verdict of the user's own scorer. @defaultValue null */
  readonly ownVerdict?: Verdict | null;
  readonly startedAt: string;
  readonly endedAt: string;
}

export function endOfQuestion(question: QuestionAtEnd): EndRecord {
  const { uuid, epoch, item, turns, unfinished, outcome } = question;
  const replies = [...turns.map(({ reply }) => reply), ...(unfinished ? [unfinished] : [])];
  const answeredBy = answerersOf(replies);
  const result = {
    uuid,
    epoch,
    question: preview(item.question, shownOfQuestion),
    tags: item.tags,
    answer: answerOf(outcome, turns),
    outcome,
    turns: turns.length,
    usage: [...replies.map(usageOf), ...turns.map(usageOfTool), lostUsage(outcome)].reduce(
      addUsage,
      noUsage,
    ),
    costUsd: costOf(replies, turns),
    model: replies.findLast(({ model }) => model !== null)?.model ?? null,
    ...(answeredBy.length > 0 && { answeredBy }),
    startedAt: question.startedAt,
    endedAt: question.endedAt,
    times: questionTimesOf({ ...question, answered: isAnswer[outcome.kind] }),
    trajectory: trajectoryFile(question),
    tools: toolStatsOf(turns, item.anchor_pdf, question.hasContext),
  };
  const judged = judgedVerdict(question, result.answer);
  const { verdict } = judged;
  return {
    result,
    score: {
      uuid,
      epoch,
      score: verdict.kind === 'scored' ? verdict.score : null,
      scorer: scorerName(evaluatorOf(item)),
      ...judged,
    },
  };
}

/** Of a question in a line of results, which stays short in a run of many. */
const shownOfQuestion = 200;

/** The attempts at the call that ended a question, after the first one. */
const lostUsage = (outcome: Outcome): Usage =>
  outcome.kind === 'infra-error' && outcome.attempts !== undefined
    ? { ...noUsage, retries: outcome.attempts - 1 }
    : noUsage;

/** A tool with a cost counts as a model call. */
const usageOfTool = ({ facts }: FinishedTurn): Usage =>
  facts?.costUsd === undefined ? noUsage : { ...noUsage, calls: 1 };

function costOf(replies: readonly ReplyRecord[], turns: readonly FinishedTurn[]): number | null {
  return sumOfCosts([
    ...replies.map(costOfReply),
    ...turns.map(({ facts }) => (facts?.costUsd === undefined ? 0 : facts.costUsd)),
  ]);
}

/** The observation of a question's last turn, if that turn gave the answer. Null otherwise. */
export function answerOf({ kind }: Outcome, turns: readonly FinishedTurn[]): string | null {
  const last = turns.at(-1);
  return isAnswer[kind] && last !== undefined ? truncateAnswer(last.observation) : null;
}

const judgedVerdict = (
  { item, outcome, strict, judgeReplies, execution, executionFailure, ownVerdict }: QuestionAtEnd,
  answer: string | null,
): JudgedScore => {
  const mode = strict ? 'strict' : 'default';
  return scoreOutcome<string, JudgedScore>(
    { outcome: outcome.kind, evaluator: evaluatorOf(item), answer, refusals: item.refusals },
    (given, evaluator) => {
      if (ownScorerOf(evaluator) !== null) {
        const failure = executionFailure ?? 'the scorer was not asked';
        return { verdict: ownVerdict ?? unscored('scorer-failed', failure) };
      }
      if (execution === null && executionFailure !== undefined) {
        return { verdict: unscored('not-executed', executionFailure) };
      }
      return judgeReplies === null || needsExecution(evaluator)
        ? { verdict: scoreAnswer({ answer: given, evaluator, mode, execution }) }
        : judgedScore({ answer: { kind: 'str', value: given }, evaluator, mode }, judgeReplies);
    },
  );
};

/** The stored end of a question: its lines of `results.jsonl` and `scores.jsonl`. */
export const endRecordSchema = z.object({ result: resultSchema, score: scoreSchema });
export type EndRecord = Readonly<z.infer<typeof endRecordSchema>>;

/** What the question's workflow reports to its run. */
export const endedQuestion = ({ result, score }: EndRecord): EndedQuestion => ({
  outcome: result.outcome.kind,
  turns: result.turns,
  usage: result.usage,
  cost: costOfQuestion(result.costUsd, result.usage.calls),
  ...(score.judgeUsage && {
    judged: {
      usage: score.judgeUsage,
      cost: costOfQuestion(score.judgeCostUsd ?? null, score.judgeUsage.calls),
    },
  }),
  score: score.score,
  ...(scaleOf(score.scorer) !== 'unit' && { scale: scaleOf(score.scorer) }),
  ...failureOf(result),
});

function failureOf({ outcome, turns, tools }: EndRecord['result']): Pick<EndedQuestion, 'failure'> {
  const failed = (type: FailureName, message: string): Pick<EndedQuestion, 'failure'> => ({
    failure: { type, message: preview(message, 300) },
  });
  if (outcome.kind === 'infra-error') return failed(outcome.failure, outcome.message);
  if (outcome.kind === 'context-overflow') return failed('ContextOverflow', outcome.message);
  // An odd reply may end a question after actions.
  return outcome.kind === 'unparseable' && sum(Object.values(tools.parseErrors)) === turns
    ? failed('Unknown', `no reply has an action that can be read: ${outcome.lastError}`)
    : {};
}
