import type { AccountReport, AccountShare, KnownLimit, CallWaitReason } from './account-report.js';
import { Backoff, deferralsOf } from './backoff.js';
import {
  isRefusedByTokens,
  TokenEstimate,
  type Call,
  type Deferral,
  type Permit,
  type Served,
} from './call.js';
import { Concurrency } from './concurrency.js';
import { FairQueue } from './fair-queue.js';
import { Pace } from './pacing.js';
import { ServerErrors, Spurious429s } from './provider-faults.js';
import type { RateLimit } from './rate-limit-headers.js';
import { defaultSettings, type LimiterSettings } from './settings.js';

interface Ended {
  readonly accepted: number;
  readonly acceptedTokens: number;
  readonly refused: number;
}
const nothingEnded: Ended = { accepted: 0, acceptedTokens: 0, refused: 0 };

/**
 * Decides when a worker's calls to one provider account are sent: paced by requests and by tokens, limited in number,
 * fair between runs. It learns the limits from the ends of the calls. Deterministic: every time is an argument, in
 * milliseconds of any one clock.
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
  /** What the first waiting call waits for, and since when. */
  #wait: { readonly for: CallWaitReason; readonly sinceMs: number } | null = null;
  /** Grows with each cut and pause: a refusal of a call that was sent before says nothing new. */
  #backoffs = 0;
  /** Calls sent since then. */
  #order = 0;
  #lastCut: Pace;
  #inFlight = 0;
  /** Since the last report. */
  #ended = nothingEnded;
  #reportedAtMs: number;

  constructor(startMs: number, settings: LimiterSettings = defaultSettings) {
    this.#requests = new Pace(startMs, settings);
    this.#tokens = new Pace(startMs, settings);
    this.#concurrency = new Concurrency(settings);
    this.#backoff = new Backoff(settings);
    this.#spurious429s = new Spurious429s(settings);
    this.#serverErrors = new ServerErrors(settings);
    this.#lastCut = this.#requests;
    this.#reportedAtMs = startMs;
  }

  get requests(): KnownLimit {
    return this.#requests.known;
  }

  get tokens(): KnownLimit {
    return this.#tokens.known;
  }

  /** What calls wait for. Null where no call waits. */
  get waitsFor(): CallWaitReason | null {
    return this.#wait?.for ?? null;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** How many spurious 429s it remembers. Null before it has heard what other workers remember. */
  get spurious429s(): number | null {
    return this.#spurious429s.remembered;
  }

  /** How long the provider asked to send nothing. */
  pauseMs(nowMs: number): number {
    const { reason, untilMs } = this.#backoff;
    return reason === 'retry-after' ? Math.max(0, untilMs - nowMs) : 0;
  }

  /** What happened since the last report. */
  report(worker: string, nowMs: number): AccountReport {
    const { accepted, acceptedTokens, refused } = this.#ended;
    const overMs = Math.max(1, nowMs - this.#reportedAtMs);
    this.#ended = nothingEnded;
    this.#reportedAtMs = nowMs;
    return {
      worker,
      overMs,
      accepted,
      acceptedTokens,
      refused,
      waiting: this.waiting,
      inFlight: this.inFlight,
      requests: this.requests,
      tokens: this.tokens,
      waitsFor: this.waitsFor,
      pauseMs: this.pauseMs(nowMs),
      spurious429s: this.spurious429s,
    };
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

  /** A call that was refused waits again, before all others of its run. */
  rejoin(call: Call): void {
    this.#queue.addFirst(call);
  }

  /** A waiting call is no longer wanted. */
  leave(call: Call): void {
    this.#queue.remove(call);
  }

  /** Sends what may be sent. To be called after every change. */
  serve(nowMs: number): Served {
    this.#recordWait(nowMs);
    const permits: Permit[] = [];
    const deferrals = this.#defer(nowMs);
    for (;;) {
      const call = this.#queue.first;
      if (call === undefined) {
        this.#wait = null;
        return { permits, deferrals, wakeAtMs: null };
      }
      const wait = this.#waitOf(call, nowMs);
      if (wait !== null) {
        this.#wait = { for: wait.for, sinceMs: nowMs };
        const deadlines = this.#queue.all.map(({ deadlineMs }) => deadlineMs);
        return { permits, deferrals, wakeAtMs: Math.min(wait.untilMs, ...deadlines) };
      }
      this.#queue.take();
      permits.push(this.#send(call, nowMs));
    }
  }

  /** @param used - null where the provider does not say it */
  accepted(
    permit: Permit,
    used: { readonly prompt: number; readonly completion: number } | null,
    stated: RateLimit | undefined,
    nowMs: number,
  ): void {
    this.ended(stated, nowMs);
    const { call, tokens, backoffs, sentAtMs } = permit;
    this.#concurrency.recordAccepted(nowMs - sentAtMs);
    this.#serverErrors.recordAccepted();
    if (this.#backoff.isClosed && backoffs === this.#backoffs) this.#open();
    const total = used === null ? tokens : used.prompt + used.completion;
    this.#tokens.correct(total - tokens, nowMs);
    if (used !== null) this.#estimate.learn(call.characters, used);
    const { accepted, acceptedTokens } = this.#ended;
    this.#ended = {
      ...this.#ended,
      accepted: accepted + 1,
      acceptedTokens: acceptedTokens + total,
    };
  }

  /** The provider's limits were exceeded. */
  refused(
    permit: Permit,
    stated: RateLimit | undefined,
    retryAfterMs: number | undefined,
    nowMs: number,
  ): void {
    this.ended(stated, nowMs);
    this.#ended = { ...this.#ended, refused: this.#ended.refused + 1 };
    this.#requests.takeBack(1, nowMs);
    this.#tokens.takeBack(permit.tokens, nowMs);
    if (retryAfterMs !== undefined) this.#backoff.pauseUntil(nowMs + retryAfterMs);
    if (permit.backoffs !== this.#backoffs) return;
    if (permit.order === 0) {
      this.#backoff.close(nowMs, retryAfterMs);
    } else {
      const pace = isRefusedByTokens(permit, stated) ? this.#tokens : this.#requests;
      // A provider that says when to come back speaks of a limit, even with its first refusal.
      const isFirst = pace.known.estimated === null && retryAfterMs === undefined;
      if (this.#spurious429s.isSpurious(pace.isAccepted || isFirst)) return;
      pace.slowDown(nowMs, Math.max(nowMs, this.#backoff.untilMs));
      this.#lastCut = pace;
      this.#concurrency.slowDown();
    }
    this.#backoffs += 1;
    this.#order = 0;
  }

  /** It failed for reasons of the provider's own. */
  failed(stated: RateLimit | undefined, nowMs: number): void {
    this.ended(stated, nowMs);
    this.#serverErrors.recordFailed(nowMs);
  }

  quotaSpent(nowMs: number): void {
    this.ended(undefined, nowMs);
    this.#backoff.recordQuotaSpent(nowMs);
  }

  /** It was given up, or ended in a way that says nothing about limits. */
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
    return { call, tokens, sentAtMs: nowMs, backoffs: this.#backoffs, order: this.#order - 1 };
  }

  /** Calls a millisecond that the limits leave room for. Infinity where none is known. */
  get #callRate(): number {
    return Math.min(this.#requests.callRate, this.#tokens.callRate);
  }

  /** What a call waits for, and until when. Null where it may be sent. */
  #waitOf(
    call: Call,
    nowMs: number,
  ): { readonly for: CallWaitReason; readonly untilMs: number } | null {
    const { untilMs, reason } = this.#backoff;
    if (untilMs > nowMs) return { for: reason, untilMs };
    if (call.concurrency === 'auto' && this.#inFlight >= this.#concurrency.most(this.#callRate))
      return { for: 'concurrency', untilMs: nowMs + this.#concurrency.nextMs };
    const requestsAtMs = this.#requests.readyAtMs;
    if (requestsAtMs > nowMs) return { for: 'requests', untilMs: requestsAtMs };
    const tokensAtMs = this.#tokens.readyAtMs;
    return tokensAtMs > nowMs ? { for: 'tokens', untilMs: tokensAtMs } : null;
  }

  #defer(nowMs: number): readonly Deferral[] {
    const deferrals = deferralsOf(this.#queue.all, this.#backoff, this.#callRate, nowMs);
    for (const { call } of deferrals) this.#queue.remove(call);
    return deferrals;
  }

  /** Adds the time that calls have waited until now: only what they waited for may grow. */
  #recordWait(nowMs: number): void {
    if (this.#wait === null) return;
    const { for: reason, sinceMs } = this.#wait;
    this.#wait = { for: reason, sinceMs: nowMs };
    if (this.#serverErrors.areMany(nowMs)) return;
    const ms = nowMs - sinceMs;
    if (reason === 'requests') this.#requests.recordWait(ms);
    if (reason === 'tokens') this.#tokens.recordWait(ms);
    if (reason === 'concurrency') this.#concurrency.recordWait(ms);
  }
}
