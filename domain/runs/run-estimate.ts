import type { Method } from '../agent/method.js';
import { turnLimit } from '../agent/turn-plan.js';
import { costOfCall } from '../models/usage.js';
import { countsOf, mean, sum } from '../statistics/means.js';
import { questionWindow, type RunConfig } from './run-config.js';
import {
  estimateCases,
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
  /** For each question that is left, in all epochs: the turns it has behind it, which cost nothing again. */
  readonly turnsBehind: readonly number[];
  readonly opening: Opening;
  readonly workloads: Workloads;
  /** What the provider counts of a token that is counted here. */
  readonly countedShare: number;
  /** The part of prompt tokens that the provider has cached. */
  readonly cachedShare: number;
  /** Of one turn, its action included; null where nobody has seen one. */
  readonly turnMs: number | null;
}

export interface CaseEstimate {
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** US dollars; null where the price is not known. */
  readonly usd: number | null;
  /** Null where it is not known how long a turn takes. */
  readonly ms: number | null;
}

export type RunEstimate = Readonly<Record<EstimateCase, CaseEstimate>>;

/** What a run will take, from what questions take. */
export function estimateRun(request: EstimateRequest): RunEstimate {
  const estimates = estimateCases.map((name) => [name, estimateCase(request, name)] as const);
  // One of each case.
  return Object.fromEntries(estimates) as RunEstimate;
}

function estimateCase(request: EstimateRequest, name: EstimateCase): CaseEstimate {
  const { config, cachedShare, turnMs } = request;
  const workload = request.workloads[name];
  const { turns, calls, promptTokens } = toCome(request, workload);
  const completionTokens = calls * workload.completionTokens;
  const usd = costOfCall(
    { prompt: promptTokens, completion: completionTokens, cached: promptTokens * cachedShare },
    config.model.price,
  );
  return {
    calls: Math.round(calls),
    promptTokens: Math.round(promptTokens),
    completionTokens: Math.round(completionTokens),
    usd: calls === 0 ? 0 : usd,
    ms: turnMs === null ? null : (turns * turnMs) / together(request),
  };
}

interface ToCome {
  readonly turns: number;
  readonly calls: number;
  readonly promptTokens: number;
}

/** Of all questions that are left. One that has come further than those before it ever did takes one more turn. */
function toCome(request: EstimateRequest, workload: Workload): ToCome {
  const { method, config, turnsBehind } = request;
  const most = turnLimit(method, config.maxTurns);
  const each = [...countsOf(turnsBehind)].map(([behind, questions]): ToCome => {
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

const together = ({ turnsBehind, config }: EstimateRequest): number =>
  Math.max(1, Math.min(turnsBehind.length, questionWindow(config.concurrency)));

/** Of one call, within what its context leaves beside the completion. */
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
