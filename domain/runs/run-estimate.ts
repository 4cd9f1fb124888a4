import type { Method } from '../agent/method.js';
import { turnLimit } from '../agent/turn-plan.js';
import { costOfCall } from '../models/usage.js';
import { countsOf, mean, sum } from '../statistics/means.js';
import { questionWindow, type RunConfig } from './run-config.js';
import {
  questionCalls,
  type EstimateCase,
  type Opening,
  type QuestionCall,
  type Workload,
  type Workloads,
} from './workloads.js';

export interface EstimateRequest {
  readonly method: Method;
  readonly config: Pick<
    RunConfig,
    'maxTurns' | 'windowSize' | 'contextTokens' | 'concurrency' | 'model'
  >;
  /** For each sample that has not ended: the number of its stored turns, which are not paid again. */
  readonly turnsBehind: readonly number[];
  readonly opening: Opening;
  readonly workloads: Workloads;
  /** The provider's token count, divided by the local one. */
  readonly countedShare: number;
  /** The share of prompt tokens in the provider's cache. */
  readonly cachedShare: number;
  /** The duration of a turn, its action included. Null if unknown. */
  readonly turnMs: number | null;
}

export interface CaseEstimate {
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** US dollars. Null if the price is unknown. */
  readonly usd: number | null;
  /** Null if the duration of a turn is unknown. */
  readonly ms: number | null;
}

export type RunEstimate = Readonly<Record<EstimateCase, CaseEstimate>>;

/**
 * Estimates the rest of a run from the usage of earlier questions. Questions with few tokens in all may have many completion
 * tokens, so each figure is bounded by the likely one.
 */
export function estimateRun(request: EstimateRequest): RunEstimate {
  const likely = estimateCase(request, 'likely');
  return {
    low: bounded(Math.min, estimateCase(request, 'low'), likely),
    likely,
    high: bounded(Math.max, estimateCase(request, 'high'), likely),
  };
}

function bounded(
  bound: (one: number, other: number) => number,
  one: CaseEstimate,
  other: CaseEstimate,
): CaseEstimate {
  const known = (a: number | null, b: number | null): number | null =>
    a === null || b === null ? null : bound(a, b);
  return {
    calls: bound(one.calls, other.calls),
    promptTokens: bound(one.promptTokens, other.promptTokens),
    completionTokens: bound(one.completionTokens, other.completionTokens),
    usd: known(one.usd, other.usd),
    ms: known(one.ms, other.ms),
  };
}

function estimateCase(request: EstimateRequest, name: EstimateCase): CaseEstimate {
  const { config, cachedShare, turnMs } = request;
  const workload = request.workloads[name];
  const { turns, calls, promptTokens } = remainingWork(request, workload);
  const completionTokens = calls * Math.min(config.model.maxTokens, workload.completionTokens);
  const usd = costOfCall(
    { prompt: promptTokens, completion: completionTokens, cached: promptTokens * cachedShare },
    config.model.price,
  );
  return {
    calls: Math.round(calls),
    promptTokens: Math.round(promptTokens),
    completionTokens: Math.round(completionTokens),
    usd: calls === 0 ? 0 : usd,
    ms: turnMs === null ? null : (turns * turnMs) / parallelQuestions(request),
  };
}

interface RemainingWork {
  readonly turns: number;
  readonly calls: number;
  readonly promptTokens: number;
}

/** The work of all samples that have not ended. A question with more turns than any earlier one takes one more. */
function remainingWork(request: EstimateRequest, workload: Workload): RemainingWork {
  const { method, config, turnsBehind } = request;
  const most = turnLimit(method, config.maxTurns);
  const each = [...countsOf(turnsBehind)].map(([behind, questions]): RemainingWork => {
    const lengths = workload.turns.map((turns) => Math.min(Math.max(turns, behind + 1), most));
    const calls = lengths.map((turns) =>
      questionCalls(method, turns, config.windowSize).filter(({ turn }) => turn > behind),
    );
    return {
      turns: questions * mean(lengths.map((turns) => Math.max(0, turns - behind))),
      calls: questions * mean(calls.map(({ length }) => length)),
      promptTokens:
        questions *
        mean(calls.map((some) => sum(some.map((call) => promptTokensOf(call, workload, request))))),
    };
  });
  return {
    turns: sum(each.map(({ turns }) => turns)),
    calls: sum(each.map(({ calls }) => calls)),
    promptTokens: sum(each.map(({ promptTokens }) => promptTokens)),
  };
}

const parallelQuestions = ({ turnsBehind, config }: EstimateRequest): number =>
  Math.max(1, Math.min(turnsBehind.length, questionWindow(config.concurrency)));

/** The prompt tokens of one call, at most what the context length leaves beside the completion. */
function promptTokensOf(
  { turn, turnsSeen }: QuestionCall,
  { addedTokens }: Workload,
  { opening, countedShare, config }: EstimateRequest,
): number {
  const opened = (turn === 1 ? opening.first : opening.later) * countedShare;
  const room =
    config.contextTokens === null ? Infinity : config.contextTokens - config.model.maxTokens;
  return Math.max(opened, Math.min(room, opened + turnsSeen * addedTokens));
}
