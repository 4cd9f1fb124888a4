import type { Method } from '../../methods/method.js';
import { sum } from '../../statistics/mean.js';
import { questionCalls, type Opening } from './question-calls.js';
import type { Workload, Workloads } from './workload.js';

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
