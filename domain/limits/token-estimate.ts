import type { RateLimit } from '../models/rate-limit.js';
import type { Permit } from './call.js';

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
