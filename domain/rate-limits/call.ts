import type { RateLimit } from './rate-limit-headers.js';

/** A call that wants to be sent. */
export interface Call {
  /** Runs are served in turn. */
  readonly run: string;
  /** The length of the prompt. */
  readonly characters: number;
  /** The completion may have so many tokens. */
  readonly maxCompletion: number;
  /** `fixed`: the caller limits how many calls are in flight. `auto`: the rate limiter does. */
  readonly concurrency: 'auto' | 'fixed';
  /** The call is deferred if it cannot be sent before. */
  readonly deadlineMs: number;
}

/** A call that is to be sent now. Its end must be reported to the rate limiter, whatever it is. */
export interface Permit {
  readonly call: Call;
  /** The estimate that the token limit was charged with. */
  readonly tokens: number;
  readonly sentAtMs: number;
  /** How many times the rate limiter had backed off before the call was sent. */
  readonly backoffs: number;
  /** How many calls were sent between the last of them and this call. */
  readonly order: number;
}

/** A call that cannot be sent before its deadline. */
export interface Deferral {
  readonly call: Call;
  readonly reason: 'rate-limit' | 'quota';
  /** When it is worth trying again; null where that is not a matter of time. */
  readonly retryAfterMs: number | null;
}

/** What happens to the calls that wait. */
export interface Served {
  readonly permits: readonly Permit[];
  readonly deferrals: readonly Deferral[];
  /** When to serve again, unless a call ends before; null where nothing waits. */
  readonly wakeAtMs: number | null;
}

/** Of texts of which nothing is known. */
const charactersAToken = 4;
/** The weight of the latest call in what is learnt. */
const latestCallWeight = 0.1;

/** How many tokens calls will take, learnt from what calls took. */
export class TokenEstimate {
  #tokensACharacter = 1 / charactersAToken;
  #completion: number | null = null;

  /**
   * Prompt and completion together. The completion is taken to be as long as it may be until one was seen, and then as long
   * as completions are on average: most stay far below their maximum, and what is charged too much is left unused.
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

/** Whether a call was refused because too few tokens remain. A provider that says nothing is taken to count requests. */
export function isRefusedByTokens({ tokens }: Permit, stated: RateLimit | undefined): boolean {
  const { exceeded, remainingRequests = Infinity, remainingTokens = Infinity } = stated ?? {};
  if (exceeded !== undefined) return exceeded === 'tokens';
  return remainingTokens < tokens && remainingRequests >= 1;
}
