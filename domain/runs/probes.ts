import { z } from 'zod';
import type { Amount } from '../budget/amount.js';
import type { FailureName } from '../failure-type.js';

/** Attempts of one probe, and the time limit of each. */
export const probeAttempts = 3;
export const probeTimeoutMs = 60_000;

const count = z.int().nonnegative();

/** What the probes of a run have cost. */
export const probesSchema = z.object({
  calls: count,
  promptTokens: count,
  completionTokens: count,
  /** US dollars. Null if the price of one of them is unknown. */
  costUsd: z.number().nonnegative().nullable(),
});
export type Probes = Readonly<z.infer<typeof probesSchema>>;

export const noProbes: Probes = { calls: 0, promptTokens: 0, completionTokens: 0, costUsd: 0 };

export const addProbes = (a: Probes, b: Probes): Probes => ({
  calls: a.calls + b.calls,
  promptTokens: a.promptTokens + b.promptTokens,
  completionTokens: a.completionTokens + b.completionTokens,
  costUsd: a.costUsd === null || b.costUsd === null ? null : a.costUsd + b.costUsd,
});

/** What probes took of a run's budget. With an unknown price they took no dollars. */
export const amountOfProbes = ({ promptTokens, completionTokens, costUsd }: Probes): Amount => ({
  usd: costUsd ?? 0,
  tokens: promptTokens + completionTokens,
});

/** What came of one probe. */
export type ProbeOutcome = { readonly model: string } & (
  | { readonly kind: 'answered'; readonly spent: Probes; readonly ms: number }
  /** The model replied, with nothing that can be used. A question may do better. */
  | { readonly kind: 'unusable'; readonly spent: Probes; readonly message: string }
  /** The call was not made: the budget, or the provider's rate limit, does not allow it now. */
  | { readonly kind: 'postponed'; readonly message: string }
  | {
      readonly kind: 'failed';
      readonly failure: FailureName;
      readonly message: string;
      /** The worker has no key for the address. */
      readonly keyMissing?: true;
    }
);

/** What all probes of an outcome list have cost. */
export const spentOnProbes = (outcomes: readonly ProbeOutcome[]): Probes =>
  outcomes
    .map((outcome) => ('spent' in outcome ? outcome.spent : noProbes))
    .reduce(addProbes, noProbes);
