import { Context } from '@temporalio/activity';
import { leftByTrySchema, type CallSoFar } from '../domain/questions/call-so-far.js';
import { activityFailure, isPassing } from './failures.js';
import { whileHeartbeating } from './heartbeat.js';

type Paid = NonNullable<CallSoFar['paid']>;

interface Left extends CallSoFar {
  readonly stage?: string;
}

/** One try of a call. */
export interface CallTry<Reply> {
  /** Tries before it, whatever became of them. */
  readonly retries: number;
  /** What an earlier try has paid for and could not store. */
  readonly paid: Reply | undefined;
  /** Fires when the call is no longer wanted. */
  readonly signal: AbortSignal;
  /** Says what it is at, for people. */
  readonly tell: (stage: string) => void;
  /** Leaves a reply that is paid for to the next try, should this one not be able to store it. */
  readonly keep: (reply: Reply) => void;
}

/**
 * Tries a call, and counts the try where it fails for a reason that may pass. The count travels in heartbeats and with
 * the failure, so that a try which is lost with its worker is none: Temporal counts both alike.
 * @param parse - gives undefined for what is no reply of this kind of call
 */
export async function tryCall<Reply extends Paid, T>(
  before: CallSoFar,
  parse: (paid: unknown) => Reply | undefined,
  call: (attempt: CallTry<Reply>) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const { info } = context;
  const found = leftByTrySchema.parse(info.heartbeatDetails);
  const tries = found.tries ?? before.tries ?? 0;
  const paid = parse(found.paid ?? before.paid);
  const retries = (before.tries ?? 0) + (before.lost ?? 0) + info.attempt - 1;
  return whileHeartbeating(async (signal, tellServer) => {
    let left: Left = { tries, ...(paid && { paid }) };
    const leave = (more: Left): void => {
      left = { ...left, ...more };
      tellServer(left);
    };
    leave({});
    try {
      return await call({
        retries,
        paid,
        signal,
        tell: (stage) => leave({ stage }),
        keep: (reply) => {
          leave({ paid: reply });
          context.heartbeat(left);
        },
      });
    } catch (error) {
      if (!isPassing(error)) throw error;
      leave({ tries: tries + 1 });
      context.heartbeat(left);
      throw activityFailure(error, left);
    }
  });
}
