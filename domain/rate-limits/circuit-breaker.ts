import { z } from 'zod';
import { failureTypes, isOutside, isRetryable, type FailureType } from '../failure-type.js';

/** What a dependency fails of, as its newest probe says. */
export const outageSchema = z.object({
  failure: z.enum(Object.keys(failureTypes) as [FailureType, ...FailureType[]]),
  message: z.string(),
});
export type Outage = Readonly<z.infer<typeof outageSchema>>;

/** Whether a call may be made: `closed`; `due`: after a probe has been answered; `open`: not before `untilMs`. */
type BreakerState =
  | { readonly kind: 'closed' }
  | { readonly kind: 'due' }
  | { readonly kind: 'open'; readonly outage: Outage; readonly untilMs: number };

/** Failures in a row that make the dependency suspect rather than the requests. */
const suspectAfter = 3;

const firstPauseMs = 5_000;
const longestPauseMs = 60_000;
/** An outage of hours is noticed to be over a little later: after at most this part of its length. */
const partOfLength = 0.05;
const longestPauseOfLongMs = 300_000;

/** The pause before the next probe. @param probes - probes in vain so far */
export function pauseMs(probes: number, lengthMs: number): number {
  const longest = Math.max(longestPauseMs, Math.min(partOfLength * lengthMs, longestPauseOfLongMs));
  return Math.min(firstPauseMs * 2 ** probes, longest);
}

/** What the rate limiter waits for: limits, credit and budgets that are used up. */
const limits: readonly FailureType[] = ['ModelDeferred', 'ModelRateLimited', 'ModelQuotaSpent'];

/** Failures that may be those of the dependency. */
export const isOutage = (failure: FailureType): boolean =>
  isOutside(failure) && !limits.includes(failure);

/**
 * Decides whether one dependency of a worker, such as a provider account or Milvus, fails, or only some of the requests to it.
 * It opens when a probe, the smallest request there is, fails as well; and closes when one is answered. It has no clock: every
 * method takes the time, in milliseconds of one monotonic clock.
 */
export class CircuitBreaker {
  #open: {
    readonly outage: Outage;
    readonly sinceMs: number;
    readonly probes: number;
    readonly probeAtMs: number;
  } | null = null;
  /** Failures since the dependency has last answered. */
  #failures = 0;

  state(nowMs: number): BreakerState {
    if (this.#open === null) return { kind: 'closed' };
    const { outage, probeAtMs } = this.#open;
    return nowMs >= probeAtMs ? { kind: 'due' } : { kind: 'open', outage, untilMs: probeAtMs };
  }

  /** A call or a probe was answered. */
  recordAnswered(): void {
    this.#open = null;
    this.#failures = 0;
  }

  /** A call failed. Returns whether a probe is to tell if the call or the dependency is at fault. */
  recordFailed(failure: FailureType): boolean {
    this.#failures += 1;
    // What no retry of the call can cure is not waited for three times.
    return this.#failures >= suspectAfter || !isRetryable(failure);
  }

  /** A probe failed, or another worker says that one did. */
  recordOutage(outage: Outage, nowMs: number): void {
    const { sinceMs = nowMs, probes = 0 } = this.#open ?? {};
    const probeAtMs = nowMs + pauseMs(probes, nowMs - sinceMs);
    this.#open = { outage, sinceMs, probes: probes + 1, probeAtMs };
  }
}
