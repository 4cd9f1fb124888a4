import { createRateLimiter, type RateLimits } from './rate-limiter.js';
import { addReport, emptyAccount } from '../domain/rate-limits/account-state.js';
import type { Call, Permit } from '../domain/rate-limits/call.js';
import { RateLimiter } from '../domain/rate-limits/rate-limiter.js';
import { defaultSettings, type LimiterSettings } from '../domain/rate-limits/settings.js';
import { readRateLimit } from '../domain/rate-limits/rate-limit-headers.js';

export interface Scenario {
  readonly seed: number;
  /** How long it is watched. */
  readonly minutes: number;
  readonly limits: Partial<RateLimits>;
  /** What the provider says of its limits. @defaultValue none */
  readonly headers?: 'all' | 'retry-after' | 'none';
  /** @defaultValue 1 */
  readonly workers?: number;
  /** Whether the workers report to each other every three seconds. @defaultValue false */
  readonly reports?: boolean;
  /** Calls under way or waiting at any time: in each worker, or worker by worker. */
  readonly callers: number | readonly number[];
  /** Whether callers rest between calls in every other minute, the first one excepted. @defaultValue false */
  readonly quietMinutes?: boolean;
  readonly concurrency?: Call['concurrency'];
  readonly latencyMs?: number;
  /** The share of the calls that are refused whatever the pace. */
  readonly spuriousShare?: number;
  /** The share of the calls that fail for reasons that have nothing to do with limits. */
  readonly failureShare?: number;
  /** After how long each worker is lost with all it knew, evenly spread. Another takes its calls. @defaultValue never */
  readonly lifeSeconds?: readonly [least: number, most: number];
  /** Tokens of a prompt, evenly spread. */
  readonly tokens?: readonly [least: number, most: number];
  /** Tokens of a completion, evenly spread up to `used`, of at most `allowed`. @defaultValue none */
  readonly completion?: { readonly used: number; readonly allowed: number };
  /** Constants of the rate limiter that differ from the usual ones. */
  readonly settings?: Partial<LimiterSettings>;
}

export interface Outcome {
  /** By minute, in the unit that is limited. */
  readonly accepted: readonly number[];
  /** Calls, by minute. */
  readonly refused: readonly number[];
  readonly refusedShare: number;
}

const reportEveryMs = 3000;
/** From the loss of a worker until another one is there. */
const absenceMs = 3000;
const restMs = 20_000;
const spurious429 = { kind: 'refused', waitMs: 0, by: 'requests' } as const;

/** Rate limiters before one simulated provider, in simulated time. The same seed gives the same outcome. */
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
  const total = (counts: readonly number[]): number => counts.reduce((sum, n) => sum + n, 0);
  const averageTokens = (size[0] + size[1] + completion.used) / 2;
  const calls = total(accepted) / (tokensPerMinute === undefined ? 1 : averageTokens);
  return { accepted, refused, refusedShare: total(refused) / (calls + total(refused)) };

  function startWorker(index: number): void {
    const startMs = clock.now();
    const endMs =
      lifeSeconds === undefined ? Infinity : startMs + 1000 * draw(lifeSeconds[0], lifeSeconds[1]);
    const isLost = (): boolean => clock.now() >= endMs;
    const limiter = new RateLimiter(startMs, settings);
    let wakeAtMs = Infinity;

    const serve = (): void => {
      if (isLost()) return;
      const served = limiter.serve(clock.now());
      for (const permit of served.permits) send(permit);
      const next = served.wakeAtMs ?? Infinity;
      wakeAtMs = next;
      // Timers of a busy process are late.
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
              clock.after(restMs, () => {
                join(permit.call.run);
                serve();
              });
          });
        } else {
          count(refused, 1);
          const { waitMs, by } = admission;
          clock.after(draw(5, 30), () => {
            if (headers === 'none') limiter.refused(permit, undefined, undefined, clock.now());
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
    if (Number.isFinite(endMs)) clock.at(endMs + absenceMs, () => startWorker(index));
    if (!scenario.reports) return;
    clock.every(reportEveryMs, draw(0, reportEveryMs), () => {
      if (isLost()) return;
      const { state, share } = addReport(
        account,
        limiter.report(`worker ${index}`, clock.now()),
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

/** Numbers in [0, 1), fast: a scenario takes a hundred thousand (Lehmer's generator). */
function generator(seed: number): () => number {
  let state = seed + 1;
  for (let n = 0; n < 10; n += 1) state = (state * 48_271) % 2_147_483_647;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

interface Clock {
  readonly now: () => number;
  readonly at: (ms: number, what: () => void) => void;
  readonly after: (ms: number, what: () => void) => void;
  readonly every: (ms: number, fromMs: number, what: () => void) => void;
  readonly run: (untilMs: number) => void;
}

/** Runs events in the order of their times, and takes none. */
function simulatedClock(): Clock {
  /** The next one is the last. Of two at the same time the earlier added one runs first. */
  const events: { readonly atMs: number; readonly what: () => void }[] = [];
  let nowMs = 0;
  const at = (ms: number, what: () => void): void => {
    const atMs = Math.max(ms, nowMs);
    let low = 0;
    let high = events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((events[middle]?.atMs ?? 0) > atMs) low = middle + 1;
      else high = middle;
    }
    events.splice(low, 0, { atMs, what });
  };
  const every = (ms: number, fromMs: number, what: () => void): void =>
    at(fromMs, () => {
      what();
      every(ms, fromMs + ms, what);
    });
  return {
    now: () => nowMs,
    at,
    after: (ms, what) => at(nowMs + ms, what),
    every,
    run: (untilMs) => {
      for (let event = events.at(-1); event && event.atMs < untilMs; event = events.at(-1)) {
        events.pop();
        nowMs = event.atMs;
        event.what();
      }
    },
  };
}
