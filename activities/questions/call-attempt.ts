import { CancelledFailure, Context, log } from '@temporalio/activity';
import type { PaidCall as PaidFigures } from '../../domain/agent/turn-record.js';
import { noAmount } from '../../domain/budget/amount.js';
import {
  callAttemptsSchema,
  noAttempts,
  storeReplyForMs,
  addFailedAttempt,
  type CallAttempts,
  type FailedAttempt,
} from '../../domain/models/call-attempts.js';
import { isOfProvider, type FailureType } from '../../domain/failure-type.js';
import type { JobOwner } from '../../domain/runs/batches.js';
import type { Deferral } from '../../domain/runs/question-ref.js';
import { withheldOf, type Withheld } from '../../domain/models/chat-message.js';
import { callTokensSchema } from '../../domain/models/usage.js';
import { amountOfReply, billedPrompt, costOfReply } from '../../domain/runs/spent-amount.js';
import { sampleOfCall, type CallMade, type OpenCall } from '../../domain/scoring/open-calls.js';
import {
  activity,
  activityFailure,
  deferralOf,
  isRetryableFailure,
  reportingFailures,
  whileHeartbeating,
} from '../failures.js';
import type { ModelReply, ModelRequest } from '../ports/model.js';
import { PortFailure } from '../ports/port-failure.js';

/** Passed to the function that prepares the call. */
export interface CallAttempt {
  /** What the record of the reply says of the attempts before it. To be asked when the reply is there. */
  readonly before: () => Pick<PaidFigures, 'retries' | 'unanswered' | 'lost' | 'failures'>;
  /** Fires when the activity is cancelled, but not when its worker stops: a call that is sent is paid for. */
  readonly signal: AbortSignal;
  /** Reports what the call does or waits for; people read it in Temporal's UI. */
  readonly report: (stage: string, failed?: PortFailure) => void;
}

/** A call that is ready to be sent, with all that its record needs. Made by `readyCall`. */
export interface ReadyCall<Reply> {
  readonly send: () => Promise<Reply>;
}

/**
 * @param record - what is stored of the answer. It waits for nothing and reads nothing: what fails between an answer and its
 * storing would have the call paid for again.
 */
export const readyCall = <Answer, Reply>(
  send: () => Promise<Answer>,
  record: (answer: Answer) => Reply,
): ReadyCall<Reply> => ({ send: async () => record(await send()) });

export interface PaidCall<Reply, Other> {
  /** The attempts of earlier activities of this call. @defaultValue none */
  readonly before?: CallAttempts | undefined;
  /** Parses a reply that an earlier attempt has received and could not store; undefined for anything else. */
  readonly parse: (paid: unknown) => Reply | undefined;
  /** Reads all that the call and its record need. */
  readonly prepare: (attempt: CallAttempt) => Promise<ReadyCall<Reply> | Other>;
  /** What an earlier attempt has stored; null where there is nothing. @defaultValue nothing is looked for */
  readonly find?: () => Promise<Reply | null>;
  /** Stores the reply, unless another attempt has stored one. Resolves to the stored reply. */
  readonly save: (reply: Reply) => Promise<Reply>;
  /** How long one attempt keeps trying to store its reply. @defaultValue storeReplyForMs */
  readonly storeForMs?: number | undefined;
  /** Whether it is one of many of its activity (`batchedCalls`): the heartbeats are of none of them. @defaultValue false */
  readonly isOneOfMany?: boolean | undefined;
}

/**
 * One attempt at a call that costs money. It counts failed attempts in its heartbeats and in the failure itself, because
 * Temporal's number of attempts includes those that were lost with their worker. A reply that cannot be stored is handed
 * to the next attempt in the heartbeat details. A call that may not be made now resolves to a deferral.
 */
export async function attemptCall<Reply extends object, Other extends { readonly kind: string }>(
  call: PaidCall<Reply, Other>,
): Promise<Reply | Other | Deferral> {
  return call.isOneOfMany ? takeAnswer(call) : attemptAlone(call);
}

async function attemptAlone<Reply extends object, Other extends { readonly kind: string }>({
  before = noAttempts,
  parse,
  prepare,
  find = () => Promise.resolve(null),
  save,
  storeForMs = storeReplyForMs,
}: PaidCall<Reply, Other>): Promise<Reply | Other | Deferral> {
  const context = Context.current();
  const { attempt } = context.info;
  const found = attemptsBefore(before);
  const retries = before.failed + before.lost + attempt - 1;
  const paid = parse(found.paid);
  return whileHeartbeating(async (cancelled, setDetails) => {
    const signal = unlessStopping(cancelled);
    let now: CallAttempts = {
      failed: found.failed,
      lost: Math.max(0, retries - found.failed),
      unanswered: found.unanswered,
      ...(found.failures && { failures: found.failures }),
      ...(paid && { paid }),
    };
    const record = (more: Partial<CallAttempts>): void => {
      now = { ...now, ...more };
      setDetails(now);
    };
    const recordAndSend = (more: Partial<CallAttempts>): void => {
      record(more);
      context.heartbeat(now);
    };
    let listed: PortFailure | undefined;
    const list = (failed: PortFailure): Pick<CallAttempts, 'failures'> => {
      if (failed === listed) return {};
      listed = failed;
      return { failures: addFailedAttempt(now.failures, failedAttempt(failed)) };
    };
    record({});
    try {
      // A reply that is handed on stays with the call, also while nothing can be read.
      const stored = paid ? null : await find();
      if (stored) return stored;
      const report: CallAttempt['report'] = (stage, failed) =>
        record({ stage, ...(failed && list(failed)) });
      const told: CallAttempt['before'] = () => ({
        retries,
        ...(now.lost + now.unanswered > 0 && { unanswered: now.lost + now.unanswered }),
        ...(now.lost > 0 && { lost: now.lost }),
        ...(now.failures && { failures: now.failures }),
      });
      let reply = paid;
      if (reply === undefined) {
        const ready = await prepare({ before: told, signal, report });
        if ('kind' in ready) return ready;
        reply = await ready.send();
      }
      return await store(reply, save, storeForMs, () => recordAndSend({ paid: reply }));
    } catch (error) {
      const deferral = deferralOf(error);
      if (deferral) {
        const counts = error instanceof PortFailure && error.options.counts === true;
        return withAttempts(deferral, counts ? afterFailure(now, error) : now);
      }
      if (!isRetryableFailure(error)) throw error;
      recordAndSend({ ...afterFailure(now, error), ...list(error) });
      throw activityFailure(error, now);
    }
  });
}

/** A call that is not sent: its answer is stored where its batch has one, and otherwise it is kept for the next batch. */
async function takeAnswer<Reply, Other extends { readonly kind: string }>({
  prepare,
  save,
}: PaidCall<Reply, Other>): Promise<Reply | Other | Deferral> {
  const { cancellationSignal: signal } = Context.current();
  try {
    const before = (): { readonly retries: number } => ({ retries: 0 });
    const ready = await prepare({ before, signal, report: () => undefined });
    return 'kind' in ready ? ready : await save(await ready.send());
  } catch (error) {
    const deferral = deferralOf(error);
    if (deferral) return deferral;
    throw error;
  }
}

/**
 * An activity for many calls of a job that are sent in batches. It sends none of them, so that it can be repeated at any time.
 * @param one - a call, which is `isOneOfMany`
 */
export const batchedCalls = <Ref>(
  one: (
    ref: Ref & Omit<OpenCall, 'size'>,
    before: undefined,
    owner: JobOwner,
  ) => Promise<CallMade | Deferral>,
): ((input: BatchedCallsInput & Ref) => Promise<readonly TakenCall[]>) =>
  activity(async ({ calls, owner, ...ref }) => {
    const taken: TakenCall[] = [];
    for (let from = 0; from < calls.length; from += takenAtOnce) {
      const some = calls.slice(from, from + takenAtOnce).map(async (call) => {
        try {
          // The rest of the input is what the job itself is named by.
          return withoutOpened(await one({ ...(ref as Ref), ...call }, undefined, owner));
        } catch (error) {
          if (!(error instanceof PortFailure)) throw error;
          const { type, message } = error;
          if (isRetryableFailure(error) && !isOfProvider(type)) throw error;
          return { kind: 'failed' as const, failure: type, message };
        }
      });
      taken.push(...(await Promise.all(some)));
    }
    return taken;
  });

/** Their files are opened at the same time. */
const takenAtOnce = 20;

export interface BatchedCallsInput {
  readonly calls: readonly Omit<OpenCall, 'size'>[];
  readonly owner: JobOwner;
}

/** What has become of a call in a batch. */
export type TakenCall =
  | Omit<CallMade, 'opened'>
  | Deferral
  | { readonly kind: 'failed'; readonly failure: FailureType; readonly message: string };

/** A call of a job, for the request that is sent in a batch of it. */
export const ofJob = (
  owner: JobOwner,
  call: Omit<OpenCall, 'size'>,
): Pick<ModelRequest, 'batched'> => ({
  batched: { owner, ...sampleOfCall(call), asking: owner.asking, call: call.key },
});

const withoutOpened = (made: CallMade | Deferral): TakenCall =>
  made.kind === 'made' ? { kind: 'made', spent: made.spent, billed: made.billed } : made;

const afterFailure = (before: CallAttempts, { options }: PortFailure): CallAttempts => ({
  ...before,
  failed: before.failed + 1,
  unanswered: before.unanswered + (options.mayBePaid === true ? 1 : 0),
});

/** Where nothing was sent, it is of the time at which the attempt was to begin. */
const failedAttempt = ({ type, options: { exchange } }: PortFailure): FailedAttempt => ({
  at: new Date(Context.current().info.currentAttemptScheduledTimestampMs).toISOString(),
  ...exchange,
  failure: type,
});

/** Aborts like `cancelled`, unless it says that the worker stops. */
function unlessStopping(cancelled: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const onAbort = (): void => {
    const reason: unknown = cancelled.reason;
    const isStop = reason instanceof CancelledFailure && reason.message === workerShutdown;
    if (!isStop) controller.abort(reason);
  };
  if (cancelled.aborted) onAbort();
  else cancelled.addEventListener('abort', onAbort, { once: true });
  return controller.signal;
}

/** What the SDK cancels activities with when their worker stops. */
const workerShutdown = 'WORKER_SHUTDOWN';

/**
 * An activity that makes a paid call by `attemptCall`. Where what stands before or after the call fails, such as the files
 * that say what to ask, the failure passes on the attempts so far, and with them a reply that could not be stored.
 */
export const paidActivity =
  <Input, Output>(
    body: (input: Input, before?: CallAttempts) => Promise<Output>,
  ): ((input: Input, before?: CallAttempts) => Promise<Output>) =>
  (input, before) =>
    reportingFailures(async () => {
      const found = attemptsBefore(before);
      try {
        return await body(input, before);
      } catch (error) {
        if (!isRetryableFailure(error)) throw error;
        const failures = addFailedAttempt(found.failures, failedAttempt(error));
        const now = { ...found, failed: found.failed + 1, failures };
        // The next attempt finds it there, the next activity in the failure.
        Context.current().heartbeat(now);
        throw activityFailure(error, now);
      }
    });

/** What an earlier attempt of this activity, or else an earlier activity, says of the call. */
const attemptsBefore = (before = noAttempts): CallAttempts =>
  callAttemptsSchema.safeParse(Context.current().info.heartbeatDetails).data ?? before;

type PaidReply = PaidFigures & {
  readonly raw: string;
  readonly cutOff: boolean;
  readonly withheld?: Withheld;
};

/** What is stored of every reply about an answer or a paper. */
export const paidReply = (
  request: Parameters<typeof costOfReply>[0],
  reply: ModelReply,
  { before }: CallAttempt,
): PaidReply => {
  const withheld = withheldOf(reply.finishReason);
  return {
    raw: reply.content,
    cutOff: reply.finishReason === 'length',
    ...(withheld && { withheld }),
    model: reply.model,
    ...(reply.servedBy && { servedBy: reply.servedBy }),
    tokens: reply.tokens && callTokensSchema.parse(reply.tokens),
    ...costOfReply(request, reply),
    cacheHit: reply.cacheHit ?? false,
    ...before(),
    ...(reply.exchange && { exchange: reply.exchange }),
    ...(reply.batched && { batched: true }),
  };
};

/** What a call of a job has come to. @param reply - null if none was needed */
export const callMade = (
  reply: Parameters<typeof amountOfReply>[0] | null,
  opened: readonly OpenCall[],
): CallMade => ({
  kind: 'made',
  spent: reply === null ? noAmount : amountOfReply(reply),
  billed: reply && billedPrompt(reply),
  opened,
});

/** A call that is made again goes on counting. One that is paid for is never deferred. */
function withAttempts(deferral: Deferral, { stage, paid, ...attempts }: CallAttempts): Deferral {
  const { failed, lost, failures } = attempts;
  return failed + lost === 0 && failures === undefined ? deferral : { ...deferral, attempts };
}

const firstStoreRetryMs = 100;
const longestStoreRetryMs = 15_000;

/**
 * Stores a paid reply. It retries for `forMs` while the failure can be temporary, such as a full disk.
 * @param handOn - called after the first failure: keeps the reply for the next attempt
 */
async function store<Reply>(
  reply: Reply,
  save: (reply: Reply) => Promise<Reply>,
  forMs: number,
  handOn: () => void,
): Promise<Reply> {
  const end = performance.now() + forMs;
  for (let waitMs = 0; ; waitMs = nextWaitMs(waitMs)) {
    try {
      // Not the SDK's: a reply that is paid for is stored, also if its activity is cancelled meanwhile.
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      return await save(reply);
    } catch (error) {
      if (!isRetryableFailure(error)) throw error;
      if (waitMs === 0) {
        log.warn('a paid reply cannot be stored yet', { reason: error.message });
        handOn();
      } else if (performance.now() >= end) throw error;
    }
  }
}

const nextWaitMs = (waitMs: number): number =>
  waitMs === 0 ? firstStoreRetryMs : Math.min(2 * waitMs, longestStoreRetryMs);
