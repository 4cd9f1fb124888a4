import { z } from 'zod';
import type { Cap } from '../budget/amount.js';
import { concurrencySchema, questionWindow, type RunConfig } from './run-config.js';
import type { RunState } from './run-state.js';

/**
 * Changes of a run in progress. Absent settings stay the same, and null removes a limit. A function, because workflows share
 * this module frozen (docs/explanation/decisions/0008), and zod changes a schema when it is first used.
 */
const tuningSchema = () =>
  z.strictObject({
    concurrency: concurrencySchema().optional(),
    budgetUsd: z.number().positive().nullable().optional(),
    budgetTokens: z.int().positive().nullable().optional(),
    /** ISO 8601. */
    deadline: z.iso.datetime({ offset: true }).nullable().optional(),
  });
export type Tuning = Readonly<z.infer<ReturnType<typeof tuningSchema>>>;

/** A limit as a form shows it, with its present value. */
export interface ShownLimit {
  readonly name: string;
  readonly help: string;
  readonly value: string;
}

/** The reason to reject a tuning, in one sentence. Null if it is valid. */
export function tuningProblem(tuning: unknown, nowMs: number): string | null {
  const parsed = tuningSchema().safeParse(tuning);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `${issue?.path.join('.') ?? 'the tuning'}: ${issue?.message ?? 'is malformed'}`;
  }
  if (Object.keys(parsed.data).length === 0) return 'nothing is to be tuned';
  const { deadline } = parsed.data;
  if (typeof deadline === 'string' && Date.parse(deadline) <= nowMs) {
    return `the deadline ${deadline} is past`;
  }
  return null;
}

export function tuned(state: RunState, tuning: Tuning): RunState {
  const { concurrency, deadline } = tuning;
  return {
    ...state,
    concurrency: concurrency === undefined ? state.concurrency : questionWindow(concurrency),
    ledger: { ...state.ledger, cap: tunedCap(state.ledger.cap, tuning) },
    deadline:
      deadline === undefined ? state.deadline : deadline === null ? null : Date.parse(deadline),
  };
}

/** Applies a tuning to a configuration, so that it also holds when the run is continued later. */
export const tunedConfig = (config: RunConfig, tuning: Tuning): RunConfig => ({
  ...config,
  concurrency: tuning.concurrency ?? config.concurrency,
  budget: tunedCap(config.budget, tuning),
  deadline: tuning.deadline === undefined ? config.deadline : tuning.deadline,
});

const tunedCap = (cap: Cap, { budgetUsd, budgetTokens }: Tuning): Cap => ({
  usd: budgetUsd === undefined ? cap.usd : budgetUsd,
  tokens: budgetTokens === undefined ? cap.tokens : budgetTokens,
});
