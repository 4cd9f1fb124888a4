import type { Method, SingleShotMethod } from '../agent/method.js';
import { turnLimit } from '../agent/turn-plan.js';
import { sum } from '../statistics/means.js';
import type { RunConfig } from './run-config.js';

/** What a question takes, on which an estimate of many rests. */
export interface Workload {
  /** Of questions that stand for all: one is enough where nothing more is known. */
  readonly turns: readonly number[];
  /** Prompt tokens that a turn adds to each later call that sees it: a reply, and what the model was told. */
  readonly addedTokens: number;
  /** Of one call, reasoning included. */
  readonly completionTokens: number;
}

export const estimateCases = ['low', 'likely', 'high'] as const;
export type EstimateCase = (typeof estimateCases)[number];

export type Workloads = Readonly<Record<EstimateCase, Workload>>;

/** One model call of a question, as far as the length of its prompt goes. */
export interface QuestionCall {
  readonly turn: number;
  /** Earlier turns of the question that its prompt shows beside what every call opens with. */
  readonly turnsSeen: number;
}

/** Prompt tokens of what a question's calls open with: its first call, and each later one. */
export interface Opening {
  readonly first: number;
  readonly later: number;
}

/** The model calls of a question that takes so many turns. */
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
  // The first turn asks the graph, and so does the second where nobody judges its answer.
  return method.judge === null ? [] : calls.slice(1);
}

function turnsSeen({ kind }: Method, turn: number, windowSize: number): number {
  switch (kind) {
    case 'iterative':
      return Math.min(turn - 1, windowSize);
    case 'graph':
      return Math.min(turn - 1, Math.max(1, windowSize));
    case 'two-stage':
      return turn - 1;
    case 'single-shot':
      // What is read from the store before the only call.
      return 1;
  }
}

/** A question that was asked before, by the method and model of the run to be estimated. */
export interface EarlierQuestion {
  readonly turns: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly windowSize: number;
  /** What its calls opened with, counted as for the run to be estimated. */
  readonly opening: Opening;
}

/**
 * What questions took before. Low and high are what the cheapest and the dearest quarter of them took; null where
 * there are none.
 * @param countedShare - what the provider counts of a token that is counted here
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

/** Tokens of replies: an action with its reasoning in words; a model that thinks at length takes more. */
const completionTokens: Figures = [60, 150, 500];

/** Tokens of a reply and what it is answered with. A result is cut at 5,000. */
const addedTokens: Figures = [300, 1200, 2500];

/**
 * What questions of a method usually take, where none has been asked yet (docs/steering.md): the example of
 * docs/methods.md takes 3 turns, the reference's published conversations 3 and 8, and `maxTurns` is the end.
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

function usualTurns({ kind }: Method): Figures {
  switch (kind) {
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

/** Of what is read from the store for the only call. */
function contextTokens(context: SingleShotMethod['context']): Figures {
  switch (context.kind) {
    case 'none':
      return [0, 0, 0];
    case 'search':
      return [100 * context.limit, 250 * context.limit, 600 * context.limit];
    case 'titles-and-abstracts':
      return [200, 400, context.cutoffTokens];
    case 'full-text':
      return [context.cutoffTokens / 2, context.cutoffTokens, context.cutoffTokens];
  }
}
