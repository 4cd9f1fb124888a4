import { Context, log, sleep } from '@temporalio/activity';
import {
  callAttemptsSchema,
  noAttempts,
  storeReplyForMs,
  type CallAttempts,
} from '../../domain/models/call-attempts.js';
import type { Deferral } from '../../domain/runs/question-ref.js';
import { activityFailure, isPassing, whileHeartbeating } from '../failures.js';
import { PortFailure } from '../ports/port-failure.js';

/** One attempt at a call, as the code that makes it sees it. */
export interface CallAttempt {
  /** Attempts before this one, failed or lost. */
  readonly retries: number;
  /** Fires when the call is no longer wanted. */
  readonly signal: AbortSignal;
  /** Reports what the call does or waits for, for people. */
  readonly report: (stage: string) => void;
}

export interface PaidCall<Reply, Other> {
  /** What the attempts of earlier rounds came to. @defaultValue there was none */
  readonly before?: CallAttempts | undefined;
  /** Reads a reply that an earlier attempt has paid for and could not store; undefined for anything else. */
  readonly parse: (paid: unknown) => Reply | undefined;
  readonly ask: (attempt: CallAttempt) => Promise<Reply | Other>;
  /** Stores the reply. Resolves to the one that stands: another attempt may have been first. */
  readonly save: (reply: Reply) => Promise<Reply>;
  /** How long one attempt keeps trying to store its reply. @defaultValue storeReplyForMs */
  readonly storeForMs?: number | undefined;
}

/**
 * One attempt at a call that is paid for. A failure that may pass is counted in heartbeats and in the failure itself:
 * Temporal counts an attempt that was lost with its worker like one that failed. A reply that cannot be stored goes to
 * the next attempt, on whichever worker. A call that may not be made now resolves to a deferral.
 */
export async function attemptCall<Reply extends object, Other extends { readonly kind: string }>({
  before = noAttempts,
  parse,
  ask,
  save,
  storeForMs = storeReplyForMs,
}: PaidCall<Reply, Other>): Promise<Reply | Other | Deferral> {
  const context = Context.current();
  const { attempt } = context.info;
  const found: CallAttempts =
    callAttemptsSchema.safeParse(context.info.heartbeatDetails).data ?? before;
  const retries = before.failed + before.lost + attempt - 1;
  const paid = parse(found.paid);
  return whileHeartbeating(async (signal, report) => {
    let now: CallAttempts = {
      failed: found.failed,
      lost: Math.max(0, retries - found.failed),
      ...(paid && { paid }),
    };
    const note = (more: Partial<CallAttempts>): void => {
      now = { ...now, ...more };
      report(now);
    };
    const noteAtOnce = (more: Partial<CallAttempts>): void => {
      note(more);
      context.heartbeat(now);
    };
    note({});
    try {
      const reply = paid ?? (await ask({ retries, signal, report: (stage) => note({ stage }) }));
      if ('kind' in reply) return reply;
      return await store(reply, save, storeForMs, () => noteAtOnce({ paid: reply }));
    } catch (error) {
      const deferral = deferralOf(error);
      if (deferral) return deferral;
      if (!isPassing(error)) throw error;
      noteAtOnce({ failed: now.failed + 1 });
      throw activityFailure(error, now);
    }
  });
}

/** A call that was not made, which is no failure; null for other errors. */
function deferralOf(error: unknown): Deferral | null {
  if (!(error instanceof PortFailure) || error.type !== 'ModelDeferred') return null;
  const { reason = 'rate-limit', retryAfterMs = null, need } = error.options;
  return { kind: 'deferred', reason, message: error.message, retryAfterMs, ...(need && { need }) };
}

const firstStoreRetryMs = 100;
const longestStoreRetryMs = 15_000;

/** Stores a paid reply, again and again while that fails for a reason that may pass, such as a full disk. */
async function store<Reply>(
  reply: Reply,
  save: (reply: Reply) => Promise<Reply>,
  forMs: number,
  keep: () => void,
): Promise<Reply> {
  const end = performance.now() + forMs;
  for (let waitMs = 0; ; waitMs = nextWaitMs(waitMs)) {
    try {
      if (waitMs > 0) await sleep(waitMs);
      return await save(reply);
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (waitMs === 0) {
        log.warn('a reply that is paid for cannot be stored yet', { reason: error.message });
        keep();
      } else if (performance.now() >= end) throw error;
    }
  }
}

const nextWaitMs = (waitMs: number): number =>
  waitMs === 0 ? firstStoreRetryMs : Math.min(2 * waitMs, longestStoreRetryMs);
