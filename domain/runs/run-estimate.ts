import { turnLimit, type Method, type SingleShotMethod } from '../agent/turn-plan.js';
import { costOfCall } from '../models/usage.js';
import { countsOf, mean, sum } from '../statistics/means.js';
import type { DatabaseMode } from '../agent/database-qa/answer-trace.js';
import { questionWindow, type RunConfig } from './run-config.js';

/** The usage of a typical question, which an estimate of a run is based on. */
export interface Workload {
  /** The number of turns of typical questions, at least one. */
  readonly turns: readonly number[];
  /** The prompt tokens that a turn adds to each later call whose prompt contains it: a reply and its observation. */
  readonly addedTokens: number;
  /** For one call, reasoning included. */
  readonly completionTokens: number;
  /** The provider's count of the tokens of an opening, divided by the local one. */
  readonly openingShare: number;
}

export const estimateCases = ['low', 'likely', 'high'] as const;
type EstimateCase = (typeof estimateCases)[number];

type Workloads = Readonly<Record<EstimateCase, Workload>>;

/** One model call of a question. */
interface QuestionCall {
  readonly turn: number;
  /** The number of earlier turns in its prompt. */
  readonly turnsSeen: number;
}

/** The prompt tokens before the turns: the system and task messages, and the rows of a method whose prompts hold them. */
export interface Opening {
  /** Of a question's first call. */
  readonly first: number;
  /** Of each later call. */
  readonly later: number;
}

/** The model calls of a question with this number of turns. */
function questionCalls(method: Method, turns: number, windowSize: number): readonly QuestionCall[] {
  const calls = Array.from({ length: turns }, (_, index) => index + 1).map((turn) => ({
    turn,
    turnsSeen: turnsSeen(method, turn, windowSize),
  }));
  if (method.kind !== 'graph') return calls;
  // The first turn queries the graph without a model call. Without a judge, so does the second.
  return method.judge === null ? [] : calls.slice(1);
}

function turnsSeen(method: Method, turn: number, windowSize: number): number {
  switch (method.kind) {
    case 'database':
    case 'program':
      return turn - 1;
    case 'iterative':
      return Math.min(turn - 1, windowSize);
    case 'graph':
      return Math.min(turn - 1, Math.max(1, windowSize));
    case 'two-stage':
      return turn - 1;
    case 'single-shot':
      // The context, which is read from the store before the only call.
      return 1;
  }
}

/** An ended question with the method and the model of the run to be estimated. */
export interface EarlierQuestion {
  readonly turns: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly windowSize: number;
  /** The limits it had: one that reached them may take more where they are higher. */
  readonly maxTurns: number;
  readonly maxTokens: number;
  /** Counted with the local tokenizer. */
  readonly opening: Opening;
}

/** Fewer earlier questions say little of how far others may differ from them. */
export const enoughQuestions = 10;

/** How far the mean of some openings may be from that of others. */
const openingDoubt = 0.15;

/**
 * The usage of earlier questions: `low` of the quarter with the fewest tokens, `high` of the quarter with the most, or those
 * that are usual for the method if the questions are few. Null without earlier questions.
 * @param countedShare - the provider's token count, divided by the local one
 */
export function earlierWorkloads(
  method: Method,
  questions: readonly EarlierQuestion[],
  countedShare: number,
  usual: Workloads,
): Workloads | null {
  if (questions.length === 0) return null;
  const byTokens = questions.toSorted((a, b) => tokensOf(a) - tokensOf(b));
  const quarter = Math.ceil(byTokens.length / 4);
  const likely = workloadOf(method, byTokens, countedShare, 1);
  const few = questions.length < enoughQuestions;
  const low = few
    ? withBounds(usual.low, likely, Math.min, 0.5)
    : workloadOf(method, byTokens.slice(0, quarter), countedShare, 1);
  const high = few
    ? withBounds(usual.high, likely, Math.max, 2)
    : workloadOf(method, byTokens.slice(-quarter), countedShare, Infinity);
  return {
    low: { ...low, openingShare: countedShare * (1 - openingDoubt) },
    likely,
    high: { ...high, openingShare: countedShare * (1 + openingDoubt) },
  };
}

/** What is usual, or a part or multiple of what few questions took where that lies beyond it. */
const withBounds = (
  usual: Workload,
  likely: Workload,
  bound: (...values: readonly number[]) => number,
  factor: number,
): Workload => ({
  ...usual,
  turns: [bound(...usual.turns, ...likely.turns)],
  addedTokens: bound(usual.addedTokens, likely.addedTokens * factor),
  completionTokens: bound(usual.completionTokens, likely.completionTokens * factor),
});

const tokensOf = ({ promptTokens, completionTokens }: EarlierQuestion): number =>
  promptTokens + completionTokens;

/** @param beyondLimits - by what the turns and replies are multiplied that a limit has cut short; the new limits hold later */
function workloadOf(
  method: Method,
  questions: readonly EarlierQuestion[],
  countedShare: number,
  beyondLimits: number,
): Workload {
  const calls = questions.map(({ turns, windowSize }) => questionCalls(method, turns, windowSize));
  const opened = questions.map(({ opening }, index) =>
    sum((calls[index] ?? []).map(({ turn }) => (turn === 1 ? opening.first : opening.later))),
  );
  const seen = sum(calls.flat().map(({ turnsSeen }) => turnsSeen));
  const beyond =
    sum(questions.map(({ promptTokens }) => promptTokens)) - countedShare * sum(opened);
  const made = calls.flat().length;
  const completed = sum(
    questions.map(({ completionTokens, maxTokens }, index) =>
      completionTokens <= nearLimit * maxTokens * (calls[index]?.length ?? 0)
        ? completionTokens
        : completionTokens * beyondLimits,
    ),
  );
  return {
    turns: questions.map(({ turns, maxTurns }) =>
      turns < maxTurns ? turns : turns * beyondLimits,
    ),
    addedTokens: seen === 0 ? 0 : Math.max(0, beyond / seen),
    completionTokens: made === 0 ? 0 : completed / made,
    openingShare: countedShare,
  };
}

/** The share of the tokens that a reply may have from which it was probably cut off. */
const nearLimit = 0.9;

type Figures = readonly [low: number, likely: number, high: number];

/** What other tokenizers count, of numbers above all, where the local one counts 1. */
const openingShares: Figures = [0.5, 1, 1.5];

/** Tokens of a reply: an action and its reasoning. Reasoning models take more. */
const completionTokens: Figures = [60, 150, 500];

/** Tokens of a reply and its observation, which is cut at 5,000. */
const addedTokens: Figures = [300, 1200, 2500];

/**
 * The usage to assume before any question of the run has ended (docs/how-to/steering.md). The example of docs/how-to/methods.md takes 3
 * turns, the reference's published conversations take 3 and 8, and `maxTurns` is the upper bound.
 */
export function usualWorkloads(
  method: Method,
  { maxTurns, model }: Pick<RunConfig, 'maxTurns' | 'model'>,
): Workloads {
  const most = turnLimit(method, maxTurns);
  const turns = usualTurns(method);
  const added = method.kind === 'single-shot' ? contextTokens(method.context) : addedTokens;
  const workload = (index: 0 | 1 | 2): Workloads['low'] => ({
    turns: [Math.min(most, turns[index])],
    addedTokens: added[index],
    completionTokens: Math.min(model.maxTokens, completionTokens[index]),
    openingShare: openingShares[index],
  });
  return { low: workload(0), likely: workload(1), high: workload(2) };
}

function usualTurns(method: Method): Figures {
  switch (method.kind) {
    case 'database':
      return databaseTurns[method.mode];
    case 'iterative':
    case 'program':
      return [3, 6, Infinity];
    case 'graph':
      return [2, 3, Infinity];
    case 'two-stage':
      return [2, 2, 2];
    case 'single-shot':
      return [1, 1, 1];
  }
}

/** The paper's agents need one to three queries a question (Table 2). */
const databaseTurns: Readonly<Record<DatabaseMode, Figures>> = {
  'no-interaction': [1, 1, 1],
  sequential: [3, 3, 3],
  iterative: [2, 6, Infinity],
};

/** Tokens of the context of the only call. */
function contextTokens(context: SingleShotMethod['context']): Figures {
  switch (context.kind) {
    case 'none':
    case 'schema':
      return [0, 0, 0];
    case 'search':
      return [100 * context.limit, 250 * context.limit, 600 * context.limit];
    case 'titles-and-abstracts':
      return [200, 400, context.cutoffTokens];
    case 'full-text':
      return [context.cutoffTokens / 4, context.cutoffTokens, context.cutoffTokens];
  }
}

export interface EstimateRequest {
  readonly method: Method;
  readonly config: Pick<
    RunConfig,
    'maxTurns' | 'windowSize' | 'contextTokens' | 'concurrency' | 'model'
  >;
  /** For each sample that has not ended: the number of its stored turns, which are not paid again. */
  readonly turnsBehind: readonly number[];
  readonly opening: Opening;
  /** The share of the samples whose request fits the model's context: no others are sent. */
  readonly askedShare: number;
  readonly workloads: Workloads;
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
  const { method, config, turnsBehind, askedShare } = request;
  const most = turnLimit(method, config.maxTurns);
  const each = [...countsOf(turnsBehind)].map(([behind, samples]): RemainingWork => {
    const questions = samples * askedShare;
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
  { addedTokens, openingShare }: Workload,
  { opening, config }: EstimateRequest,
): number {
  const opened = (turn === 1 ? opening.first : opening.later) * openingShare;
  const room =
    config.contextTokens === null ? Infinity : config.contextTokens - config.model.maxTokens;
  return Math.max(opened, Math.min(room, opened + turnsSeen * addedTokens));
}
