import { chatApi } from '../../../simulator/apis/openai-api.js';
import { statedLimitError } from '../../../simulator/faults.js';
import { createRateLimiter, type RateLimits } from '../../../simulator/rate-limiter.js';
import { addReport, emptyAccount } from '../../../domain/rate-limits/account-state.js';
import { type Call, type Permit, RateLimiter } from '../../../domain/rate-limits/rate-limiter.js';
import { defaultSettings, type LimiterSettings } from '../../../domain/rate-limits/settings.js';
import { readRateLimitBody, readRateLimit } from '../../../domain/rate-limits/stated-limits.js';

export interface Scenario {
  readonly seed: number;
  /** The length of the simulation. */
  readonly minutes: number;
  readonly limits: Partial<RateLimits>;
  /** Where the provider states its limits: in headers, or only in the text of a 429. @defaultValue none */
  readonly headers?: 'all' | 'retry-after' | 'body' | 'none';
  /** @defaultValue 1 */
  readonly workers?: number;
  /** Whether the workers report to each other every three seconds. @defaultValue false */
  readonly reports?: boolean;
  /** Calls in flight or waiting at any time: one number for every worker, or a number for each. */
  readonly callers: number | readonly number[];
  /** Whether callers pause between calls in every second minute. @defaultValue false */
  readonly quietMinutes?: boolean;
  readonly concurrency?: Call['concurrency'];
  readonly latencyMs?: number;
  /** The share of the calls that get a spurious 429. */
  readonly spuriousShare?: number;
  /** The share of the calls that fail with a server error. */
  readonly failureShare?: number;
  /** The lifetime of a worker, uniformly distributed. A new worker without any state replaces it. @defaultValue unlimited */
  readonly lifeSeconds?: readonly [least: number, most: number];
  /** Tokens of a prompt, uniformly distributed. */
  readonly tokens?: readonly [least: number, most: number];
  /** Tokens of a completion, uniformly distributed up to `used`; `allowed` is the request's maximum. @defaultValue 0 */
  readonly completion?: { readonly used: number; readonly allowed: number };
  /** Settings of the rate limiter that differ from the defaults. */
  readonly settings?: Partial<LimiterSettings>;
}

export interface Outcome {
  /** Accepted units in each minute: tokens if tokens are limited, else calls. */
  readonly accepted: readonly number[];
  /** Refused calls in each minute. */
  readonly refused: readonly number[];
  readonly refusedShare: number;
  /** The same of the calls in some minutes. */
  readonly refusedShareIn: (from: number, to: number) => number;
}

const reportEveryMs = 3000;
/** From the end of a worker until its replacement starts. */
const replacementMs = 3000;
const quietPauseMs = 20_000;
const spurious429 = { kind: 'refused', waitMs: 0, by: 'requests', perMinute: 0, cost: 0 } as const;

/** Simulates workers with rate limiters and one provider, in simulated time. The same seed gives the same outcome. */
export function simulateAccount(scenario: Scenario): Outcome {
  const { seed, minutes, headers = 'none', workers = 1, callers, quietMinutes = false } = scenario;
  const { latencyMs = 2000, tokens: size = [1000, 1000], concurrency = 'auto' } = scenario;
  const { spuriousShare = 0, failureShare = 0, lifeSeconds } = scenario;
  const { completion = { used: 0, allowed: 0 } } = scenario;
  const settings = { ...defaultSettings, ...scenario.settings };
  const { tokensPerMinute } = scenario.limits;
  const provider = createRateLimiter(
    {
      requestsPerMinute: undefined,
      tokensPerMinute: undefined,
      limitKind: 'bucket',
      burstSeconds: 10,
      limitChanges: [],
      ...scenario.limits,
    },
    0,
  );
  const clock = simulatedClock();
  const accepted = Array.from({ length: minutes }, () => 0);
  const refused = Array.from({ length: minutes }, () => 0);
  const random = generator(seed);
  const draw = (least: number, most: number): number => least + (most - least) * random();
  const count = (counts: number[], units: number): void => {
    const minute = Math.floor(clock.now() / 60_000);
    counts[minute] = (counts[minute] ?? 0) + units;
  };

  let account = emptyAccount;
  for (let worker = 0; worker < workers; worker += 1) startWorker(worker);
  clock.run(minutes * 60_000);
  const averageTokens = (size[0] + size[1] + completion.used) / 2;
  const refusedShareIn = (from: number, to: number): number => {
    const total = (counts: readonly number[]): number =>
      counts.slice(from, to).reduce((sum, n) => sum + n, 0);
    const calls = total(accepted) / (tokensPerMinute === undefined ? 1 : averageTokens);
    return total(refused) / (calls + total(refused));
  };
  return { accepted, refused, refusedShare: refusedShareIn(0, minutes), refusedShareIn };

  function startWorker(index: number): void {
    const startMs = clock.now();
    const endMs =
      lifeSeconds === undefined ? Infinity : startMs + 1000 * draw(lifeSeconds[0], lifeSeconds[1]);
    const isGone = (): boolean => clock.now() >= endMs;
    const limiter = new RateLimiter(startMs, settings);
    let wakeAtMs = Infinity;

    const serve = (): void => {
      if (isGone()) return;
      const served = limiter.serve(clock.now());
      for (const permit of served.permits) send(permit);
      const next = served.wakeAtMs ?? Infinity;
      wakeAtMs = next;
      // In a busy process timers fire late.
      if (Number.isFinite(next))
        clock.at(next + draw(0, 5), () => {
          if (wakeAtMs === next) serve();
        });
    };
    const join = (run: string): void =>
      limiter.join({
        run,
        characters: 4 * draw(size[0], size[1]),
        maxCompletion: completion.allowed,
        concurrency,
        deadlineMs: Infinity,
      });
    const send = (permit: Permit): void => {
      clock.after(draw(5, 30), () => {
        const prompt = permit.call.characters / 4;
        const used = { prompt, completion: completion.used === 0 ? 0 : draw(0, completion.used) };
        const units = prompt + used.completion;
        const isSpurious = spuriousShare > 0 && random() < spuriousShare;
        const admission = isSpurious ? spurious429 : provider.admit(units, clock.now());
        const fails = failureShare > 0 && random() < failureShare;
        const stated =
          headers === 'all' ? readRateLimit(headerOf(provider.headers(clock.now())), 0) : undefined;
        if (admission.kind === 'admitted') {
          count(accepted, tokensPerMinute === undefined ? 1 : units);
          clock.after(latencyMs * draw(0.5, 1.5), () => {
            if (fails) limiter.failed(stated, clock.now());
            else limiter.accepted(permit, used, stated, clock.now());
            const isQuiet = quietMinutes && Math.floor(clock.now() / 60_000) % 2 === 1;
            if (!isQuiet) join(permit.call.run);
            serve();
            if (isQuiet)
              clock.after(quietPauseMs, () => {
                join(permit.call.run);
                serve();
              });
          });
        } else {
          count(refused, 1);
          const { waitMs, by } = admission;
          const { retryAfterMs, ...refusal } = readRateLimitBody(
            chatApi.error(statedLimitError(admission, undefined)),
            clock.now(),
          );
          clock.after(draw(5, 30), () => {
            if (headers === 'none') limiter.refused(permit, undefined, undefined, clock.now());
            else if (headers === 'body')
              limiter.refused(permit, refusal, retryAfterMs, clock.now());
            else limiter.refused(permit, { ...stated, exceeded: by }, waitMs, clock.now());
            limiter.rejoin(permit.call);
            serve();
          });
        }
      });
    };

    const ownCallers = typeof callers === 'number' ? callers : (callers[index] ?? 0);
    for (let n = 0; n < ownCallers; n += 1) join(`run ${n % 2}`);
    clock.at(startMs, serve);
    if (Number.isFinite(endMs)) clock.at(endMs + replacementMs, () => startWorker(index));
    if (!scenario.reports) return;
    clock.every(reportEveryMs, draw(0, reportEveryMs), () => {
      if (isGone()) return;
      const { state, share } = addReport(
        account,
        { ...limiter.report(`worker ${index}`, clock.now()), outage: null },
        clock.now(),
      );
      account = state;
      limiter.applyShare(share, clock.now());
      serve();
    });
  }
}

const headerOf =
  (headers: Readonly<Record<string, string>>) =>
  (name: string): string | null =>
    headers[name] ?? null;

/** Lehmer's generator of numbers in [0, 1): a scenario draws a hundred thousand, which hashing would make slow. */
function generator(seed: number): () => number {
  let state = seed + 1;
  for (let n = 0; n < 10; n += 1) state = (state * 48_271) % 2_147_483_647;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

interface Clock {
  readonly now: () => number;
  readonly at: (ms: number, action: () => void) => void;
  readonly after: (ms: number, action: () => void) => void;
  readonly every: (ms: number, fromMs: number, action: () => void) => void;
  readonly run: (untilMs: number) => void;
}

/** Runs events in the order of their times, without waiting. */
function simulatedClock(): Clock {
  /** Sorted by time, the next event last. Events with the same time run in the order in which they were added. */
  const events: { readonly atMs: number; readonly action: () => void }[] = [];
  let nowMs = 0;
  const at = (ms: number, action: () => void): void => {
    const atMs = Math.max(ms, nowMs);
    let low = 0;
    let high = events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((events[middle]?.atMs ?? 0) > atMs) low = middle + 1;
      else high = middle;
    }
    events.splice(low, 0, { atMs, action });
  };
  const every = (ms: number, fromMs: number, action: () => void): void =>
    at(fromMs, () => {
      action();
      every(ms, fromMs + ms, action);
    });
  return {
    now: () => nowMs,
    at,
    after: (ms, action) => at(nowMs + ms, action),
    every,
    run: (untilMs) => {
      for (let event = events.at(-1); event && event.atMs < untilMs; event = events.at(-1)) {
        events.pop();
        nowMs = event.atMs;
        event.action();
      }
    },
  };
}
