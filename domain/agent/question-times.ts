import { z } from 'zod';
import { latenciesOf, latenciesSchema } from '../statistics/means.js';
import type { FinishedTurn } from './turn-record.js';

/** Where the time of a question went, in milliseconds: a part of its line in `results.jsonl`. */
export const questionTimesSchema = z.object({
  /** From its start to its end, judges included. */
  durationMs: z.number().nonnegative(),
  /** Of each model call, from the request that was answered to its reply. Null without one. */
  modelMs: latenciesSchema.nullable(),
  /**
   * Between its start and its last turn's end, neither a model nor a tool worked: the rate limiter, the budget, attempts that
   * failed with the pauses after them, outages, `pause`, workers that were busy.
   */
  waitedMs: z.number().nonnegative(),
});
export type QuestionTimes = Readonly<z.infer<typeof questionTimesSchema>>;

interface Asked {
  readonly turns: readonly FinishedTurn[];
  readonly startedAt: string;
  readonly endedAt: string;
  /** Whether its last turn ended it. If not, it waited until its end. */
  readonly answered: boolean;
}

export function questionTimesOf({ turns, startedAt, endedAt, answered }: Asked): QuestionTimes {
  const calls = turns
    .map(({ reply }) => reply)
    .filter(({ model, cacheHit }) => model !== null && !cacheHit);
  const model = calls.map((reply) => workedMs(reply));
  const tools = turns.map(({ facts }) => facts?.ms ?? 0);
  const last = turns.at(-1)?.reply.endedAt;
  const until =
    answered && last !== undefined
      ? between(startedAt, last) + (tools.at(-1) ?? 0)
      : between(startedAt, endedAt);
  return {
    durationMs: between(startedAt, endedAt),
    modelMs: latenciesOf(model),
    waitedMs: Math.max(0, Math.round(until - sum(model) - sum(tools))),
  };
}

const workedMs = ({ startedAt, endedAt, waitedMs = 0 }: FinishedTurn['reply']): number =>
  Math.max(0, between(startedAt, endedAt) - waitedMs);

const between = (from: string, to: string): number =>
  Math.max(0, Date.parse(to) - Date.parse(from));

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
