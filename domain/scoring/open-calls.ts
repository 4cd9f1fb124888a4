import { z } from 'zod';
import {
  add,
  amountSchema,
  noAmount,
  type Amount,
  addBill,
  billsSchema,
  noBills,
  worstCase,
  type CallSize,
} from '../budget/amount.js';
import type { QuestionId, SampleKey } from '../ids.js';
import { isUnpaid, type FailureName } from '../failure-type.js';

/** A call that has to be made about a case of a job: about an answer by a judge, about a part of one by a reviewer, about a part of a paper by a model that enriches it. */
export interface OpenCall {
  /** Of the case in its job, from 0. */
  readonly index: number;
  /** Of the judge, the reviewer or the part of the paper, from 0. */
  readonly member: number;
  /** Of the request. The reply is stored under it, so that a call is made once and counted once. */
  readonly key: string;
  /** Determines what is reserved for the call. */
  readonly size: CallSize;
}

/** The name of a call in batches, where a question's stands in those of a run. */
export const sampleOfCall = ({ index, member, key }: Omit<OpenCall, 'size'>): SampleKey => ({
  // The cast adds the brand to what cannot be empty. Workflows parse nothing.
  uuid: `${index}-${member}-${key}` as QuestionId,
  epoch: 1,
});

/** What one look at the stored replies of a job has found. */
export interface FoundCalls {
  readonly open: readonly OpenCall[];
  /** The first case that was not looked at; null if the last one was. */
  readonly next: number | null;
}

/** A call that was made, and the calls that are open in its case since. */
export interface CallMade {
  readonly kind: 'made';
  readonly spent: Amount;
  /** Prompt tokens. Null if the provider reports none, or if nothing was paid. */
  readonly billed: number | null;
  readonly opened: readonly OpenCall[];
}

/** A job ends after this number of failures, as further calls would probably fail too. */
export const maxFailures = 200;

const callFailureSchema = z.object({
  index: z.int().nonnegative(),
  member: z.int().nonnegative(),
  message: z.string(),
});
type CallFailure = Readonly<z.infer<typeof callFailureSchema>>;

/** The progress of a job, also across continue-as-new. */
export const callsProgressSchema = z.object({
  /** All cases before this one are settled, except those with a failure. */
  next: z.int().nonnegative(),
  calls: z.int().nonnegative(),
  /** Also by earlier jobs that share the budget. */
  spent: amountSchema,
  /** What models bill for the calls of this job. */
  bills: billsSchema,
  failures: z.array(callFailureSchema).readonly(),
  /** The highest possible cost of a call that the rest of the budget does not cover. Null unless the budget has stopped the job. */
  parked: amountSchema.nullable(),
});
export type CallsProgress = Readonly<z.infer<typeof callsProgressSchema>>;

export const noProgress: CallsProgress = {
  next: 0,
  calls: 0,
  spent: noAmount,
  bills: noBills,
  failures: [],
  parked: null,
};

export const recordCall = (
  progress: CallsProgress,
  { size }: OpenCall,
  { spent, billed }: Pick<CallMade, 'spent' | 'billed'>,
): CallsProgress => ({
  ...progress,
  calls: progress.calls + 1,
  spent: add(progress.spent, spent),
  bills: billed === null ? progress.bills : addBill(progress.bills, size, billed),
});

/** The last attempt of the call may have been paid for, unless the provider refused it. */
export const recordFailure = (
  progress: CallsProgress,
  call: OpenCall,
  failure: FailureName,
  message: string,
): CallsProgress => ({
  ...progress,
  ...(!isUnpaid(failure) && {
    spent: add(progress.spent, worstCase(call.size, progress.bills)),
  }),
  failures: [...progress.failures, { index: call.index, member: call.member, message }],
});

const keyOf = ({ index, member }: Pick<OpenCall, 'index' | 'member'>): string =>
  `${index} ${member}`;

/** Whether a call of the job has failed, after which its member is not asked about the case. */
export const isFailed = ({ failures }: CallsProgress, call: OpenCall): boolean =>
  failures.some((failure) => keyOf(failure) === keyOf(call));

/** The calls of a job that wait, and those in flight. No call is in it twice, and a member whose call failed is asked no more. */
export class CallQueue {
  readonly #waiting = new Map<string, OpenCall>();
  readonly #inFlight = new Map<string, OpenCall>();
  /** Every call that was ever taken. */
  readonly #taken = new Set<string>();

  get waiting(): number {
    return this.#waiting.size;
  }

  get isEmpty(): boolean {
    return this.#waiting.size + this.#inFlight.size === 0;
  }

  /** The lowest case with a call that is not settled; Infinity if there is none. */
  get firstCase(): number {
    return Math.min(
      ...[...this.#waiting.values(), ...this.#inFlight.values()].map(({ index }) => index),
    );
  }

  /** @param failures - of the whole job */
  add(calls: readonly OpenCall[], failures: readonly CallFailure[]): void {
    const failed = new Set(failures.map(keyOf));
    for (const call of calls) {
      const key = keyOf(call);
      if (!failed.has(key) && !this.#taken.has(key)) this.#waiting.set(key, call);
    }
  }

  /** The next call, which is in flight from now on: of the lowest case, so that cases are settled in their order. */
  take(): OpenCall | undefined {
    const next = [...this.#waiting.values()].reduce<OpenCall | undefined>(
      (first, call) => (first === undefined || call.index < first.index ? call : first),
      undefined,
    );
    if (next === undefined) return undefined;
    this.#waiting.delete(keyOf(next));
    this.#inFlight.set(keyOf(next), next);
    this.#taken.add(keyOf(next));
    return next;
  }

  /**
   * The call is no longer in flight.
   * @param opened - what is open in its case since. Whether a call is open again, only its own end tells: what others know of it
   * may be older.
   */
  settle(call: OpenCall, opened: readonly OpenCall[], failures: readonly CallFailure[]): void {
    this.#inFlight.delete(keyOf(call));
    this.#taken.delete(keyOf(call));
    this.add(opened, failures);
    this.#taken.add(keyOf(call));
  }
}
