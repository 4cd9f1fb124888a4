import type { FinishedTurn } from './conversation.js';
import type { DatasetItem } from './dataset-item.js';
import type { EndRecord } from './end-record.js';
import type { SampleKey } from '../ids.js';
import { judgeOutcome } from './judge-outcome.js';
import type { Outcome } from './outcome.js';
import { truncateAnswer } from '../observations/truncate-answer.js';
import { trajectoryFile } from '../runs/run-layout.js';
import { toolStatsOf } from './tool-stats.js';
import { scoreAnswer } from '../scoring/score-answer.js';
import type { ReplyRecord } from './turn-record.js';
import { addUsage, noUsage, type Usage } from '../usage.js';

/** Everything a question's last act is made from. */
export interface QuestionAtEnd extends SampleKey {
  readonly item: DatasetItem;
  readonly turns: readonly FinishedTurn[];
  /** A reply that was paid for and whose action never came to an end. */
  readonly unfinished: ReplyRecord | null;
  readonly outcome: Outcome;
  readonly strict: boolean;
  readonly startedAt: string;
  readonly endedAt: string;
}

export function endOfQuestion(question: QuestionAtEnd): EndRecord {
  const { uuid, epoch, item, turns, unfinished, outcome } = question;
  const last = turns.at(-1);
  const replies = [...turns.map(({ reply }) => reply), ...(unfinished ? [unfinished] : [])];
  const answer = outcome.kind === 'answered' || outcome.kind === 'abstained';
  const result = {
    uuid,
    epoch,
    answer: answer && last !== undefined ? truncateAnswer(last.observation) : null,
    outcome,
    turns: turns.length,
    usage: [...replies.map(usageOf), ...turns.map(usageOfTool)].reduce(addUsage, noUsage),
    costUsd: costOf(replies, turns),
    model: replies.findLast(({ model }) => model !== null)?.model ?? null,
    startedAt: question.startedAt,
    endedAt: question.endedAt,
    trajectory: trajectoryFile(question),
    tools: toolStatsOf(turns),
  };
  const mode = question.strict ? 'strict' : 'default';
  const { verdict } = judgeOutcome(
    { outcome: outcome.kind, evaluator: item.evaluator, answer: result.answer },
    (given, evaluator) => ({ verdict: scoreAnswer({ answer: given, evaluator, mode }) }),
  );
  return {
    result,
    score: {
      uuid,
      epoch,
      score: verdict.kind === 'scored' ? verdict.score : null,
      verdict,
      scorer: item.evaluator?.eval_func ?? null,
    },
  };
}

function usageOf({ model, tokens, retries, cacheHit }: ReplyRecord): Usage {
  if (model === null) return { ...noUsage, retries };
  if (cacheHit) return { ...noUsage, retries, cacheHits: 1 };
  return {
    promptTokens: tokens?.prompt ?? 0,
    completionTokens: tokens?.completion ?? 0,
    cachedTokens: tokens?.cached ?? 0,
    reasoningTokens: tokens?.reasoning ?? 0,
    calls: 1,
    retries,
    cacheHits: 0,
  };
}

/** A tool that costs something is called as a model is. */
const usageOfTool = ({ facts }: FinishedTurn): Usage =>
  facts?.costUsd === undefined ? noUsage : { ...noUsage, calls: 1 };

/** Null as soon as one of them has an unknown cost: half a sum looks like a whole one. */
function costOf(replies: readonly ReplyRecord[], turns: readonly FinishedTurn[]): number | null {
  const costs = [
    ...replies.map(({ costUsd, cacheHit }) => (cacheHit ? 0 : costUsd)),
    ...turns.map(({ facts }) => (facts?.costUsd === undefined ? 0 : facts.costUsd)),
  ];
  return costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
}
