import type { Amount } from '../../domain/budget/amount.js';
import type { FailureType } from '../../domain/failure-type.js';
import type { FailedExchange } from '../../domain/models/call-attempts.js';
import type { WaitReason } from '../../domain/runs/question-ref.js';
import type { RateLimit } from '../../domain/rate-limits/stated-limits.js';

/** The error of every port. `activities/failures.ts` turns it into an ApplicationFailure of Temporal. */
export class PortFailure extends Error {
  override readonly name = 'PortFailure';

  constructor(
    readonly type: FailureType,
    message: string,
    readonly options: {
      readonly cause?: unknown;
      /** From a `retry-after` header, or an equivalent. */
      readonly retryAfterMs?: number;
      /** A call was sent that the provider may charge: its reply did not arrive, or has no text. */
      readonly mayBePaid?: boolean;
      /** The request that failed. Absent if none was sent. */
      readonly exchange?: FailedExchange;
      /** There was no key for the address of a model that wants one. */
      readonly keyMissing?: boolean;
      /** Why a call is `ModelDeferred`. Without `retryAfterMs`, waiting alone does not help. */
      readonly reason?: Exclude<WaitReason, 'pause'>;
      /** What the dependency fails of, in an outage. */
      readonly outage?: FailureType;
      /** The deferral counts as a failed attempt: other calls are answered meanwhile. */
      readonly counts?: true;
      /** The highest possible cost of a call that the budget refused, or that is for a batch. */
      readonly need?: Amount;
      /** The batch that a call is in. Absent before it is collected. */
      readonly batch?: number;
      /** The rate limits in the headers of the failed reply. */
      readonly rateLimit?: RateLimit;
    } = {},
  ) {
    super(message, { cause: options.cause });
  }
}
