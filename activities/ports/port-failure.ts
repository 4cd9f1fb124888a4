import type { Amount } from '../../domain/budget/amount.js';
import type { FailureType } from '../../domain/failure-type.js';
import type { RateLimit } from '../../domain/rate-limits/rate-limit-headers.js';

/** How an adapter reports that it could not do its work. `activities/failures.ts` turns it into Temporal's form. */
export class PortFailure extends Error {
  override readonly name = 'PortFailure';

  constructor(
    readonly type: FailureType,
    message: string,
    readonly options: {
      readonly cause?: unknown;
      /** How long the other side asked to be left alone. */
      readonly retryAfterMs?: number;
      /** A call was sent that may be charged all the same: it was not answered, or with nothing of use. */
      readonly mayBePaid?: boolean;
      /** Why a call is `ModelDeferred`. Without `retryAfterMs` it is not a matter of time. */
      readonly reason?: 'rate-limit' | 'quota' | 'budget' | 'run';
      /** What a call that the budget refused may cost at most. */
      readonly need?: Amount;
      /** What a model's provider said of its limits in the reply that failed. */
      readonly rateLimit?: RateLimit;
    } = {},
  ) {
    super(message, { cause: options.cause });
  }
}
