import type { RateLimit } from './rate-limit-headers.js';

/** A model call that waits to be sent. */
export interface Call {
  readonly run: string;
  /** The length of the prompt. */
  readonly characters: number;
  /** The highest number of tokens of the completion. */
  readonly maxCompletion: number;
  /** `fixed`: the caller limits how many calls are in flight. `auto`: the rate limiter does. */
  readonly concurrency: 'auto' | 'fixed';
  /** A call that cannot be sent before this time is deferred. */
  readonly deadlineMs: number;
}

/** A call that may be sent now. Its end must be reported to the rate limiter, however it ends. */
export interface Permit {
  readonly call: Call;
  /** The estimated number of tokens, which the token limit was charged with. */
  readonly tokens: number;
  readonly sentAtMs: number;
  /** The number of cuts and pauses before the call was sent. */
  readonly backoffCount: number;
  /** How many calls were sent between the latest of them and this call. */
  readonly order: number;
}

/** A call that cannot be sent before its deadline. */
export interface Deferral {
  readonly call: Call;
  readonly reason: 'rate-limit' | 'quota';
  /** When to try again. Null if waiting does not help. */
  readonly retryAfterMs: number | null;
}

/** What became of the waiting calls. */
export interface Served {
  readonly permits: readonly Permit[];
  readonly deferrals: readonly Deferral[];
  /** When to serve again, unless a call ends before. Null if no call waits. */
  readonly wakeAtMs: number | null;
}

/** The assumption before the first reply. */
const charactersAToken = 4;
/** The weight of the latest call in the averages. */
const latestCallWeight = 0.1;

/** Estimates how many tokens a call will use, from the usage of earlier calls. */
export class TokenEstimate {
  #tokensACharacter = 1 / charactersAToken;
  #completion: number | null = null;

  /**
   * Prompt and completion together. Before the first reply the completion counts with its maximum, then with the average
   * length: most completions are far shorter than their maximum, and an estimate that is too high leaves a part of the
   * limit unused.
   */
  of(characters: number, maxCompletion: number): number {
    const completion = Math.min(this.#completion ?? maxCompletion, maxCompletion);
    return Math.ceil(this.#tokensACharacter * characters + completion);
  }

  learn(characters: number, used: { readonly prompt: number; readonly completion: number }): void {
    if (characters > 0)
      this.#tokensACharacter +=
        latestCallWeight * (used.prompt / characters - this.#tokensACharacter);
    const completion = this.#completion ?? used.completion;
    this.#completion = completion + latestCallWeight * (used.completion - completion);
  }
}

/** Whether a call was refused because too few tokens remain. Without a statement of the provider, it was the requests. */
export function isRefusedByTokens({ tokens }: Permit, stated: RateLimit | undefined): boolean {
  const { exceeded, remainingRequests = Infinity, remainingTokens = Infinity } = stated ?? {};
  if (exceeded !== undefined) return exceeded === 'tokens';
  return remainingTokens < tokens && remainingRequests >= 1;
}
