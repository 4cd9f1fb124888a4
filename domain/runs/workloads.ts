import type { DatabaseMode } from '../agent/database-qa/answer-trace.js';
import type { Method, SingleShotMethod } from '../agent/method.js';
import { turnLimit } from '../agent/turn-plan.js';
import { sum } from '../statistics/means.js';
import type { RunConfig } from './run-config.js';

/** The usage of a typical question, which an estimate of a run is based on. */
export interface Workload {
  /** The number of turns of typical questions, at least one. */
  readonly turns: readonly number[];
  /** The prompt tokens that a turn adds to each later call whose prompt contains it: a reply and its observation. */
  readonly addedTokens: number;
  /** For one call, reasoning included. */
  readonly completionTokens: number;
}

export const estimateCases = ['low', 'likely', 'high'] as const;
export type EstimateCase = (typeof estimateCases)[number];

export type Workloads = Readonly<Record<EstimateCase, Workload>>;

/** One model call of a question. */
export interface QuestionCall {
  readonly turn: number;
  /** The number of earlier turns in its prompt. */
  readonly turnsSeen: number;
}

/** The prompt tokens before the turns: the system and task messages. */
export interface Opening {
  /** Of a question's first call. */
  readonly first: number;
  /** Of each later call. */
  readonly later: number;
}

/** The model calls of a question with this number of turns. */
export function questionCalls(
  method: Method,
  turns: number,
  windowSize: number,
): readonly QuestionCall[] {
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
      return method.mode === 'no-interaction' ? 1 : turn - 1;
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
  /** Counted with the local tokenizer. */
  readonly opening: Opening;
}

/**
 * The usage of earlier questions: `low` of the quarter with the fewest tokens, `high` of the quarter with the most. Null
 * without earlier questions.
 * @param countedShare - the provider's token count, divided by the local one
 */
export function earlierWorkloads(
  method: Method,
  questions: readonly EarlierQuestion[],
  countedShare: number,
): Workloads | null {
  if (questions.length === 0) return null;
  const byTokens = questions.toSorted((a, b) => tokensOf(a) - tokensOf(b));
  const quarter = Math.ceil(byTokens.length / 4);
  const workload = (some: readonly EarlierQuestion[]): Workload =>
    workloadOf(method, some, countedShare);
  return {
    low: workload(byTokens.slice(0, quarter)),
    likely: workload(byTokens),
    high: workload(byTokens.slice(-quarter)),
  };
}

const tokensOf = ({ promptTokens, completionTokens }: EarlierQuestion): number =>
  promptTokens + completionTokens;

function workloadOf(
  method: Method,
  questions: readonly EarlierQuestion[],
  countedShare: number,
): Workload {
  const calls = questions.map(({ turns, windowSize }) => questionCalls(method, turns, windowSize));
  const opened = questions.map(({ opening }, index) =>
    sum((calls[index] ?? []).map(({ turn }) => (turn === 1 ? opening.first : opening.later))),
  );
  const seen = sum(calls.flat().map(({ turnsSeen }) => turnsSeen));
  const beyond =
    sum(questions.map(({ promptTokens }) => promptTokens)) - countedShare * sum(opened);
  const made = calls.flat().length;
  const completed = sum(questions.map(({ completionTokens }) => completionTokens));
  return {
    turns: questions.map(({ turns }) => turns),
    addedTokens: seen === 0 ? 0 : Math.max(0, beyond / seen),
    completionTokens: made === 0 ? 0 : completed / made,
  };
}

type Figures = readonly [low: number, likely: number, high: number];

/** Tokens of a reply: an action and its reasoning. Reasoning models take more. */
const completionTokens: Figures = [60, 150, 500];

/** Tokens of a reply and its observation, which is cut at 5,000. */
const addedTokens: Figures = [300, 1200, 2500];

/**
 * The usage to assume before any question of the run has ended (docs/steering.md). The example of docs/methods.md takes 3
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
  });
  return { low: workload(0), likely: workload(1), high: workload(2) };
}

function usualTurns(method: Method): Figures {
  switch (method.kind) {
    case 'database':
      return databaseTurns[method.mode];
    case 'iterative':
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
      return [context.cutoffTokens / 2, context.cutoffTokens, context.cutoffTokens];
  }
}
