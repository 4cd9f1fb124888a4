import {
  CallCounts,
  type AccountReport,
  type AccountShare,
  type CallWaitReason,
  type Counts,
} from './account-report.js';
import { Backoff, ServerErrors, Spurious429s } from './backoff.js';
import { Concurrency, Pace } from './pacing.js';
import type { RateLimit } from './stated-limits.js';
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

/** A model call that waits to be sent. */
export interface Call {
  readonly run: string;
  /** The length of the prompt. */
  readonly characters: number;
  /** The highest number of tokens of the completion. */
  readonly maxCompletion: number;
  /** `fixed`: the caller limits how many calls are in flight. `auto`: the rate limiter does. */
  readonly concurrency: 'auto' | 'fixed';
  /** A call that cannot be sent before this time is deferred. */
  readonly deadlineMs: number;
}

/** A call that may be sent now. Its end must be reported to the rate limiter, however it ends. */
export interface Permit {
  readonly call: Call;
  /** The estimated number of tokens, which the token limit was charged with. */
  readonly tokens: number;
  readonly sentAtMs: number;
  /** The number of cuts and pauses before the call was sent. */
  readonly backoffCount: number;
  /** How many calls were sent between the latest of them and this call. */
  readonly order: number;
}

/** A call that cannot be sent before its deadline. */
export interface Deferral {
  readonly call: Call;
  readonly reason: 'rate-limit' | 'quota';
  /** When to try again. Null if waiting does not help. */
  readonly retryAfterMs: number | null;
}

/** What became of the waiting calls. */
export interface Served {
  readonly permits: readonly Permit[];
  readonly deferrals: readonly Deferral[];
  /** When to serve again, unless a call ends before. Null if no call waits. */
  readonly wakeAtMs: number | null;
}

/** The assumption before the first reply. */
const charactersAToken = 4;
/** The weight of the latest call in the averages. */
const latestCallWeight = 0.1;

/** Estimates how many tokens a call will use, from the usage of earlier calls. */
export class TokenEstimate {
  #tokensACharacter = 1 / charactersAToken;
  #completion: number | null = null;

  /**
   * Prompt and completion together. Before the first reply the completion counts with its maximum, then with the average
   * length: most completions are far shorter than their maximum, and an estimate that is too high leaves a part of the
   * limit unused.
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

/** Whether a call was refused because too few tokens remain. Without a statement of the provider, it was the requests. */
function isRefusedByTokens({ tokens }: Permit, stated: RateLimit | undefined): boolean {
  const { exceeded, remainingRequests = Infinity, remainingTokens = Infinity } = stated ?? {};
  if (exceeded !== undefined) return exceeded === 'tokens';
  return remainingTokens < tokens && remainingRequests >= 1;
}

/**
 * The waiting calls that cannot be sent before their deadlines, or at all.
 * @param callRate - calls a millisecond that the limits allow. Infinity if no limit is known
 */
function deferralsOf(
  waiting: readonly Call[],
  { untilMs, reason }: Pick<Backoff, 'untilMs' | 'reason'>,
  callRate: number,
  nowMs: number,
): readonly Deferral[] {
  if (reason === 'quota' && untilMs > nowMs)
    return waiting.map((call) => ({ call, reason: 'quota', retryAfterMs: null }));
  const retryAfterMs = Math.ceil(Math.max(untilMs - nowMs, waiting.length / callRate, 1000));
  return waiting
    .filter(({ deadlineMs }) => deadlineMs <= nowMs || deadlineMs < untilMs)
    .map((call) => ({ call, reason: 'rate-limit', retryAfterMs }));
}

/** Serves runs in turn, and the calls of one run in the order in which they came. */
export class FairQueue<T extends { readonly run: string }> {
  /** The calls of each run, at least one. The order of the keys is the order in which the runs are served. */
  readonly #runs = new Map<string, T[]>();

  get size(): number {
    return [...this.#runs.values()].reduce((sum, calls) => sum + calls.length, 0);
  }

  get first(): T | undefined {
    for (const [call] of this.#runs.values()) return call;
    return undefined;
  }

  /** The first call that is as wanted, of those that are the first of their runs. */
  firstWhere(isWanted: (call: T) => boolean): T | undefined {
    for (const [call] of this.#runs.values()) if (call && isWanted(call)) return call;
    return undefined;
  }

  get all(): readonly T[] {
    const [first = [], ...others] = this.#runs.values();
    return others.length === 0 ? first : first.concat(...others);
  }

  add(call: T): void {
    this.#runs.set(call.run, [...(this.#runs.get(call.run) ?? []), call]);
  }

  /** Puts a call that was refused before all other calls of its run. */
  addFirst(call: T): void {
    this.#runs.set(call.run, [call, ...(this.#runs.get(call.run) ?? [])]);
  }

  /** Removes the first call of a run. The run is served again after all others. */
  take({ run }: T): void {
    const [, ...rest] = this.#runs.get(run) ?? [];
    this.#runs.delete(run);
    if (rest.length > 0) this.#runs.set(run, rest);
  }

  remove(call: T): void {
    const rest = (this.#runs.get(call.run) ?? []).filter((one) => one !== call);
    if (rest.length > 0) this.#runs.set(call.run, rest);
    else this.#runs.delete(call.run);
  }
}
