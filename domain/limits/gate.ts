import type { RateLimit } from '../models/rate-limit.js';
import type { AccountShare, Hold, KnownLimit } from './account-report.js';
import type { Call, Permit, Sent, Served, TurnedAway } from './call.js';
import { Concurrency } from './concurrency.js';
import { FairQueue } from './fair-queue.js';
import { hopelessCalls } from './hopeless-calls.js';
import { isByTokens } from './is-by-tokens.js';
import { Pace } from './pace.js';
import { Stop } from './stop.js';
import { Strays } from './strays.js';
import { TokenEstimate } from './token-estimate.js';
import { Trouble } from './trouble.js';
import { WindowAllowance } from './window-allowance.js';

/** What is seen from here, since the start. */
export interface GateCounts {
  readonly accepted: number;
  readonly acceptedTokens: number;
  readonly refused: number;
  readonly waiting: number;
  readonly inFlight: number;
}

/**
 * Decides when a worker's calls to one provider account are sent: paced by requests and by tokens, limited in number,
 * fair between runs. It learns the limits from what becomes of the calls. Deterministic: every time is an argument, in
 * milliseconds of any one clock.
 */
export class Gate {
  readonly #requests: Pace;
  readonly #tokens: Pace;
  readonly #requestWindow = new WindowAllowance();
  readonly #tokenWindow = new WindowAllowance();
  readonly #concurrency = new Concurrency();
  readonly #stop = new Stop();
  readonly #strays = new Strays();
  readonly #estimate = new TokenEstimate();
  readonly #queue = new FairQueue<Call>();
  #hold: { readonly for: Hold; readonly sinceMs: number } | null = null;
  /** Begins with each cut: refusals of calls that were sent before are no news. */
  #episode = 0;
  #order = 0;
  #lastCut: Pace;
  readonly #trouble = new Trouble();
  #sent: Sent = { requests: 0, tokens: 0 };
  #inFlight = 0;
  #accepted = 0;
  #acceptedTokens = 0;
  #refused = 0;

  constructor(startMs: number) {
    this.#requests = new Pace(startMs);
    this.#tokens = new Pace(startMs);
    this.#lastCut = this.#requests;
  }

  get requests(): KnownLimit {
    return this.#requests.known;
  }

  get tokens(): KnownLimit {
    return this.#tokens.known;
  }

  /** What calls wait for; null where none waits. */
  get hold(): Hold | null {
    return this.#hold?.for ?? null;
  }

  get counts(): GateCounts {
    return {
      accepted: this.#accepted,
      acceptedTokens: this.#acceptedTokens,
      refused: this.#refused,
      waiting: this.#queue.size,
      inFlight: this.#inFlight,
    };
  }

  /** How long the provider wants to be left alone; 0 where it does not. */
  pauseMs(nowMs: number): number {
    const { reason, untilMs } = this.#stop;
    return reason === 'retry-after' ? Math.max(0, untilMs - nowMs) : 0;
  }

  /** What it knows of strays; null before it has heard what others know. */
  get strays(): number | null {
    return this.#strays.known;
  }

  /** What all workers together know. */
  heed({ requests, tokens, pauseMs, strays }: AccountShare, nowMs: number): void {
    this.#requests.allot(requests, nowMs);
    this.#tokens.allot(tokens, nowMs);
    this.#strays.hear(strays);
    if (pauseMs > 0) this.#stop.asked(nowMs + pauseMs);
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
    this.#wait(nowMs);
    const permits: Permit[] = [];
    const turnedAway = this.#turnAway(nowMs);
    for (;;) {
      const call = this.#queue.first;
      if (call === undefined) {
        this.#hold = null;
        return { permits, turnedAway, wakeAtMs: null };
      }
      const hold = this.#holdOf(call, nowMs);
      if (hold !== null) {
        this.#hold = { for: hold.for, sinceMs: nowMs };
        const deadlines = this.#queue.all.map(({ deadlineMs }) => deadlineMs);
        return { permits, turnedAway, wakeAtMs: Math.min(hold.untilMs, ...deadlines) };
      }
      this.#queue.take();
      permits.push(this.#send(call, nowMs));
    }
  }

  /** @param used - null where the provider does not say it */
  accepted(
    permit: Permit,
    used: { readonly prompt: number; readonly completion: number } | null,
    said: RateLimit | undefined,
    nowMs: number,
  ): void {
    this.#end(permit, said, nowMs);
    const { call, tokens, episode, sentAtMs } = permit;
    this.#concurrency.accepted(nowMs - sentAtMs);
    this.#trouble.accepted();
    if (this.#stop.isClosed && episode === this.#episode) this.#open(nowMs);
    const total = used === null ? tokens : used.prompt + used.completion;
    this.#tokens.correct(total - tokens, nowMs);
    if (used !== null) this.#estimate.learn(call.characters, used);
    this.#accepted += 1;
    this.#acceptedTokens += total;
  }

  /** The provider's limits were exceeded. */
  refused(
    permit: Permit,
    said: RateLimit | undefined,
    retryAfterMs: number | undefined,
    nowMs: number,
  ): void {
    this.#end(permit, said, nowMs);
    this.#refused += 1;
    this.#requests.takeBack(1, nowMs);
    this.#tokens.takeBack(permit.tokens, nowMs);
    if (retryAfterMs !== undefined) this.#stop.asked(nowMs + retryAfterMs);
    if (permit.episode !== this.#episode) return;
    if (permit.order === 0) this.#stop.refusedAgain(nowMs, retryAfterMs);
    else if (!this.#slowDown(permit, said, retryAfterMs, nowMs)) return;
    this.#episode += 1;
    this.#order = 0;
  }

  /** It failed for other reasons, and may have been charged. */
  failed(permit: Permit, said: RateLimit | undefined, nowMs: number): void {
    this.#end(permit, said, nowMs);
    this.#trouble.failed(nowMs);
  }

  /** It was given up, or ended in a way that says nothing about limits. */
  ended(permit: Permit, said: RateLimit | undefined, nowMs: number): void {
    this.#end(permit, said, nowMs);
  }

  quotaSpent(permit: Permit, nowMs: number): void {
    this.#end(permit, undefined, nowMs);
    this.#stop.quotaSpent(nowMs);
  }

  #end({ sent, sentAtMs }: Permit, said: RateLimit | undefined, nowMs: number): void {
    this.#wait(nowMs);
    this.#inFlight -= 1;
    if (said === undefined) return;
    const { limitRequests, remainingRequests, resetRequestsMs } = said;
    const { limitTokens, remainingTokens, resetTokensMs } = said;
    if (limitRequests) this.#requests.tell(limitRequests);
    if (limitTokens) this.#tokens.tell(limitTokens);
    const sinceThen = (unit: keyof Sent): number => this.#sent[unit] - sent[unit];
    this.#requestWindow.learn(
      {
        units: remainingRequests,
        resetMs: resetRequestsMs,
        sentSince: sinceThen('requests'),
        sentAtMs,
      },
      nowMs,
    );
    this.#tokenWindow.learn(
      { units: remainingTokens, resetMs: resetTokensMs, sentSince: sinceThen('tokens'), sentAtMs },
      nowMs,
    );
  }

  /** Whether there was reason to. */
  #slowDown(
    permit: Permit,
    said: RateLimit | undefined,
    retryAfterMs: number | undefined,
    nowMs: number,
  ): boolean {
    const pace = isByTokens(permit, said) ? this.#tokens : this.#requests;
    // Who says when to come back speaks of a limit, be it the first one.
    const isFirst = pace.known.measured === null && retryAfterMs === undefined;
    const suspicion = this.#strays.refuse(pace.isProven || isFirst);
    if (suspicion === 'stray') return false;
    const backMs = Math.max(nowMs, this.#stop.untilMs);
    pace.slowDown(permit.order, nowMs, backMs, suspicion === 'surely limit');
    this.#lastCut = pace;
    this.#concurrency.slowDown();
    return true;
  }

  #open(nowMs: number): void {
    const sinceMs = this.#stop.open();
    if (sinceMs !== null) this.#lastCut.resume(nowMs, sinceMs);
  }

  #send(call: Call, nowMs: number): Permit {
    if (this.#stop.isClosed) {
      if (this.#order === 0) this.#stop.probe(nowMs);
      else this.#open(nowMs);
    }
    const tokens = this.#tokensOf(call);
    const { startingRate } = this.#concurrency;
    this.#requests.send(1, nowMs, call.concurrency === 'auto' ? startingRate : Infinity);
    this.#tokens.send(tokens, nowMs);
    this.#strays.send();
    this.#sent = { requests: this.#sent.requests + 1, tokens: this.#sent.tokens + tokens };
    this.#inFlight += 1;
    this.#order += 1;
    return {
      call,
      tokens,
      sentAtMs: nowMs,
      episode: this.#episode,
      order: this.#order - 1,
      sent: this.#sent,
    };
  }

  /** Calls a millisecond that the limits leave room for; Infinity where none is known. */
  get #callRate(): number {
    return Math.min(this.#requests.callRate, this.#tokens.callRate);
  }

  #tokensOf({ characters, maxCompletion }: Call): number {
    return this.#estimate.of(characters, maxCompletion);
  }

  /** What a call waits for, and until when; null where it may be sent. */
  #holdOf(call: Call, nowMs: number): { readonly for: Hold; readonly untilMs: number } | null {
    const { untilMs, reason } = this.#stop;
    if (untilMs > nowMs) return { for: reason, untilMs };
    if (call.concurrency === 'auto' && this.#inFlight >= this.#concurrency.most(this.#callRate))
      return { for: 'concurrency', untilMs: nowMs + this.#concurrency.nextMs };
    const requestsAtMs = Math.max(this.#requests.readyAtMs, this.#requestWindow.readyAtMs);
    if (requestsAtMs > nowMs) return { for: 'requests', untilMs: requestsAtMs };
    const tokensAtMs = Math.max(this.#tokens.readyAtMs, this.#tokenWindow.readyAtMs);
    return tokensAtMs > nowMs ? { for: 'tokens', untilMs: tokensAtMs } : null;
  }

  #turnAway(nowMs: number): readonly TurnedAway[] {
    const turnedAway = hopelessCalls(this.#queue.all, this.#stop, this.#callRate, nowMs);
    for (const { call } of turnedAway) this.#queue.remove(call);
    return turnedAway;
  }

  /** Accounts for the time that calls have waited until now. */
  #wait(nowMs: number): void {
    if (this.#hold === null) return;
    const { for: hold, sinceMs } = this.#hold;
    const ms = nowMs - sinceMs;
    const isQuiet = !this.#trouble.isAt(nowMs);
    this.#requests.press(ms, isQuiet && hold === 'requests');
    this.#tokens.press(ms, isQuiet && hold === 'tokens');
    if (isQuiet && hold === 'concurrency') this.#concurrency.press(ms);
    this.#hold = { for: hold, sinceMs: nowMs };
  }
}
