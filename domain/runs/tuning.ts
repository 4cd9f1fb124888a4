import { z } from 'zod';
import type { Cap } from '../budget/amount.js';
import { concurrencySchema, questionWindow, type RunConfig } from './run-config.js';
import type { RunState } from './run-state.js';

/**
 * What may change while a run goes on. What is absent stays; null lifts a limit. Made anew for each use: workflows share
 * this module frozen (docs/decisions/0008), and a schema completes itself when it is first used.
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

/** Why a tuning makes no sense, in one sentence; null where it does. */
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

/** The same for a configuration, so that a run that is taken up again keeps to it. */
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
