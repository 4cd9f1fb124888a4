import {
  CallCounts,
  type AccountReport,
  type AccountShare,
  type CallWaitReason,
  type Counts,
} from './account-report.js';
import { Backoff, deferralsOf } from './backoff.js';
import { isRefusedByTokens, TokenEstimate, type Call, type Permit, type Served } from './call.js';
import { Concurrency } from './concurrency.js';
import { FairQueue } from './fair-queue.js';
import { Pace } from './pacing.js';
import { ServerErrors, Spurious429s } from './provider-faults.js';
import type { RateLimit } from './rate-limit-headers.js';
import { defaultSettings, type LimiterSettings } from './settings.js';

/** What a call waits for, and when to look again. */
interface Wait {
  readonly reason: CallWaitReason;
  readonly untilMs: number;
}

/**
 * Decides when a worker sends its calls to one provider account. It paces requests and tokens, bounds the calls in
 * flight, serves runs in turn, and learns the limits from the replies. It has no clock: every method takes the time, in
 * milliseconds of one monotonic clock.
 */
export class RateLimiter {
  readonly #requests: Pace;
  readonly #tokens: Pace;
  readonly #concurrency: Concurrency;
  readonly #backoff: Backoff;
  readonly #spurious429s: Spurious429s;
  readonly #serverErrors: ServerErrors;
  readonly #estimate = new TokenEstimate();
  readonly #queue = new FairQueue<Call>();
  readonly #counts: CallCounts;
  /** What the first waiting call waits for, and since when. */
  #wait: { readonly reason: CallWaitReason; readonly sinceMs: number } | null = null;
  /** The number of cuts and pauses so far. The refusal of a call that was sent before the latest one is not evidence. */
  #backoffCount = 0;
  /** Calls sent since the latest cut or pause. */
  #order = 0;
  #lastCut: Pace;
  #inFlight = 0;
  #accepted = 0;

  constructor(startMs: number, settings: LimiterSettings = defaultSettings) {
    this.#requests = new Pace(startMs, settings);
    this.#tokens = new Pace(startMs, settings);
    this.#concurrency = new Concurrency(settings);
    this.#backoff = new Backoff(settings);
    this.#spurious429s = new Spurious429s(settings);
    this.#serverErrors = new ServerErrors(settings);
    this.#counts = new CallCounts(startMs);
    this.#lastCut = this.#requests;
  }

  /** Calls accepted so far. */
  get acceptedCalls(): number {
    return this.#accepted;
  }

  /** Has no effect on the counts of the next report. */
  get state(): Omit<AccountReport, 'worker' | 'pauseMs' | 'outage' | keyof Counts> {
    return {
      waiting: this.#queue.size,
      inFlight: this.#inFlight,
      requests: this.#requests.known,
      tokens: this.#tokens.known,
      waitsFor: this.#wait?.reason ?? null,
      spurious429s: this.#spurious429s.remembered,
    };
  }

  /** @param worker - the name of this worker */
  report(worker: string, nowMs: number): Omit<AccountReport, 'outage'> {
    const pauseMs = this.#backoff.retryAfterMs(nowMs);
    return { worker, ...this.#counts.reset(nowMs), ...this.state, pauseMs };
  }

  applyShare({ requests, tokens, pauseMs, spurious429s }: AccountShare, nowMs: number): void {
    this.#requests.applyShare(requests, nowMs);
    this.#tokens.applyShare(tokens, nowMs);
    this.#spurious429s.learn(spurious429s);
    if (pauseMs > 0) this.#backoff.pauseUntil(nowMs + pauseMs);
  }

  join(call: Call): void {
    this.#queue.add(call);
  }

  /** Puts a refused call before the other calls of its run. */
  rejoin(call: Call): void {
    this.#queue.addFirst(call);
  }

  leave(call: Call): void {
    this.#queue.remove(call);
  }

  /** Takes the calls out of the queue that may be sent now or must be deferred. To be called after every change. */
  serve(nowMs: number): Served {
    this.#recordWait(nowMs);
    const permits: Permit[] = [];
    const deferrals = deferralsOf(this.#queue.all, this.#backoff, this.#callRate, nowMs);
    for (const { call } of deferrals) this.#queue.remove(call);
    for (;;) {
      const next = this.#next(nowMs);
      if (next === null) {
        this.#wait = null;
        return { permits, deferrals, wakeAtMs: null };
      }
      const { call, wait } = next;
      if (wait !== null) {
        this.#wait = { reason: wait.reason, sinceMs: nowMs };
        const deadlines = this.#queue.all.map(({ deadlineMs }) => deadlineMs);
        return { permits, deferrals, wakeAtMs: Math.min(wait.untilMs, ...deadlines) };
      }
      this.#queue.take(call);
      permits.push(this.#send(call, nowMs));
    }
  }

  /** @param used - null if the provider reports no usage */
  accepted(
    permit: Permit,
    used: { readonly prompt: number; readonly completion: number } | null,
    stated: RateLimit | undefined,
    nowMs: number,
  ): void {
    this.ended(stated, nowMs);
    const { call, tokens, backoffCount, sentAtMs } = permit;
    this.#concurrency.recordAccepted(nowMs - sentAtMs);
    this.#serverErrors.recordAccepted();
    if (this.#backoff.isClosed && backoffCount === this.#backoffCount) this.#open();
    const total = used === null ? tokens : used.prompt + used.completion;
    this.#tokens.correct(total - tokens, nowMs);
    if (used !== null) this.#estimate.learn(call.characters, used);
    this.#counts.recordAccepted(total);
    this.#accepted += 1;
  }

  /** The provider refused the call because of its limits. */
  refused(
    permit: Permit,
    stated: RateLimit | undefined,
    retryAfterMs: number | undefined,
    nowMs: number,
  ): void {
    this.ended(stated, nowMs);
    this.#counts.recordRefused();
    this.#requests.takeBack(1, nowMs);
    this.#tokens.takeBack(permit.tokens, nowMs);
    if (retryAfterMs !== undefined) this.#backoff.pauseUntil(nowMs + retryAfterMs);
    if (permit.backoffCount !== this.#backoffCount) return;
    if (permit.order === 0) {
      this.#backoff.close(nowMs, retryAfterMs);
    } else {
      const pace = isRefusedByTokens(permit, stated) ? this.#tokens : this.#requests;
      // A 429 that names a waiting time or its limit comes from a limit, even if it is the first one.
      const isExplained = retryAfterMs !== undefined || stated?.exceededLimit !== undefined;
      const isFirst = pace.known.estimated === null && !isExplained;
      if (this.#spurious429s.isSpurious(pace.isAccepted || isFirst)) return;
      pace.slowDown(nowMs, Math.max(nowMs, this.#backoff.untilMs), stated?.exceededLimit);
      this.#lastCut = pace;
      this.#concurrency.slowDown();
    }
    this.#backoffCount += 1;
    this.#order = 0;
  }

  /** The call failed with a server error. */
  failed(stated: RateLimit | undefined, nowMs: number): void {
    this.ended(stated, nowMs);
    this.#serverErrors.recordFailed(nowMs);
  }

  /** The provider did not take the call, for a reason that is not its limits, and charges no tokens for it. */
  rejected(permit: Permit, stated: RateLimit | undefined, nowMs: number): void {
    this.ended(stated, nowMs);
    this.#tokens.takeBack(permit.tokens, nowMs);
  }

  /** The account has no credit left: after a call that was `rejected`. */
  quotaSpent(nowMs: number): void {
    this.#backoff.recordQuotaSpent(nowMs);
  }

  /** The call was cancelled, or ended in a way that says nothing about limits. */
  ended(stated: RateLimit | undefined, nowMs: number): void {
    this.#recordWait(nowMs);
    this.#inFlight -= 1;
    if (stated?.limitRequests) this.#requests.advertise(stated.limitRequests);
    if (stated?.limitTokens) this.#tokens.advertise(stated.limitTokens);
  }

  #open(): void {
    const sinceMs = this.#backoff.open();
    if (sinceMs !== null) this.#lastCut.resume(sinceMs);
  }

  #send(call: Call, nowMs: number): Permit {
    if (this.#backoff.isClosed) {
      if (this.#order === 0) this.#backoff.probe(nowMs);
      else this.#open();
    }
    const tokens = this.#estimate.of(call.characters, call.maxCompletion);
    const { startingRate } = this.#concurrency;
    this.#requests.recordCall(1, nowMs, call.concurrency === 'auto' ? startingRate : Infinity);
    this.#tokens.recordCall(tokens, nowMs);
    this.#spurious429s.recordCall();
    this.#inFlight += 1;
    this.#order += 1;
    return {
      call,
      tokens,
      sentAtMs: nowMs,
      backoffCount: this.#backoffCount,
      order: this.#order - 1,
    };
  }

  /** Calls a millisecond that the limits allow. Infinity if no limit is known. */
  get #callRate(): number {
    return Math.min(this.#requests.callRate, this.#tokens.callRate);
  }

  /** The call whose turn it is, and what it waits for: null if it may be sent. Null if there is no call. */
  #next(nowMs: number): { readonly call: Call; readonly wait: Wait | null } | null {
    const { first } = this.#queue;
    if (first === undefined) return null;
    const wait = this.#waitOf(first, nowMs);
    const isPassed = wait?.reason === 'concurrency';
    // Runs with a fixed concurrency have no part in the limit for the others.
    const other = isPassed
      ? this.#queue.firstWhere(({ concurrency }) => concurrency === 'fixed')
      : undefined;
    return other === undefined
      ? { call: first, wait }
      : { call: other, wait: this.#waitOf(other, nowMs) };
  }

  /** Null if the call may be sent. */
  #waitOf(call: Call, nowMs: number): Wait | null {
    const { untilMs, reason } = this.#backoff;
    if (untilMs > nowMs) return { reason, untilMs };
    if (call.concurrency === 'auto' && this.#inFlight >= this.#concurrency.most(this.#callRate))
      return { reason: 'concurrency', untilMs: nowMs + this.#concurrency.nextMs };
    const requestsAtMs = this.#requests.readyAtMs;
    if (requestsAtMs > nowMs) return { reason: 'requests', untilMs: requestsAtMs };
    const tokensAtMs = this.#tokens.readyAtMs;
    return tokensAtMs > nowMs ? { reason: 'tokens', untilMs: tokensAtMs } : null;
  }

  /** Adds the time that calls have waited: only the limit that they waited for may grow. */
  #recordWait(nowMs: number): void {
    if (this.#wait === null) return;
    const { reason, sinceMs } = this.#wait;
    this.#wait = { reason, sinceMs: nowMs };
    if (this.#serverErrors.areMany(nowMs)) return;
    const ms = nowMs - sinceMs;
    if (reason === 'requests') this.#requests.recordWait(ms);
    if (reason === 'tokens') this.#tokens.recordWait(ms);
    if (reason === 'concurrency') this.#concurrency.recordWait(ms);
  }
}
