import { createRateLimiter, type RateLimits } from '../../client/simulated-model/rate-limiter.js';
import { emptyAccount, noteReport } from '../../domain/limits/account-state.js';
import type { Call, Permit } from '../../domain/limits/call.js';
import { Gate } from '../../domain/limits/gate.js';
import { gateReport } from '../../domain/limits/gate-report.js';
import { readRateLimit } from '../../domain/models/rate-limit.js';

export interface Scenario {
  readonly seed: number;
  /** How long it is watched. */
  readonly minutes: number;
  readonly limits: Partial<RateLimits>;
  readonly headers?: 'all' | 'retry-after' | 'none';
  readonly workers?: number;
  /** Whether the workers hear of each other every three seconds. */
  readonly control?: boolean;
  /** Calls under way or waiting at any time, in each worker. */
  readonly callers: number;
  readonly concurrency?: Call['concurrency'];
  readonly latencyMs?: number;
  /** Of the calls, refused whatever the pace. */
  readonly strayShare?: number;
  /** Of the calls, failed for reasons that have nothing to do with limits. */
  readonly failureShare?: number;
  /** After how long each worker is lost with all it knew, evenly spread; another takes its calls. Default: never. */
  readonly lifeSeconds?: readonly [least: number, most: number];
  /** Of a call, evenly spread. */
  readonly tokens?: readonly [least: number, most: number];
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
const stray = { kind: 'refused', waitMs: 0, by: 'requests' } as const;

/** Gates before one simulated provider, in simulated time: the same seed, the same outcome. */
export function simulateAccount(scenario: Scenario): Outcome {
  const { seed, minutes, headers = 'none', workers = 1, callers } = scenario;
  const { latencyMs = 2000, tokens: size = [1000, 1000], concurrency = 'auto' } = scenario;
  const { strayShare = 0, failureShare = 0, lifeSeconds } = scenario;
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
  for (let worker = 0; worker < workers; worker += 1) startWorker(`worker ${worker}`);
  clock.run(minutes * 60_000);
  const total = (counts: readonly number[]): number => counts.reduce((sum, n) => sum + n, 0);
  const calls = total(accepted) / (tokensPerMinute === undefined ? 1 : (size[0] + size[1]) / 2);
  return { accepted, refused, refusedShare: total(refused) / (calls + total(refused)) };

  function startWorker(name: string): void {
    const startMs = clock.now();
    const endMs =
      lifeSeconds === undefined ? Infinity : startMs + 1000 * draw(lifeSeconds[0], lifeSeconds[1]);
    const isLost = (): boolean => clock.now() >= endMs;
    const gate = new Gate(startMs);
    let wakeAtMs = Infinity;

    const serve = (): void => {
      if (isLost()) return;
      const served = gate.serve(clock.now());
      for (const permit of served.permits) send(permit);
      const next = served.wakeAtMs ?? Infinity;
      wakeAtMs = next;
      // Timers of a busy process are late.
      if (Number.isFinite(next))
        clock.at(next + draw(0, 5), () => {
          if (wakeAtMs === next) serve();
        });
    };
    const call = (run: string): Call => ({
      run,
      characters: 4 * draw(size[0], size[1]),
      maxCompletion: 0,
      concurrency,
      deadlineMs: Infinity,
    });
    const send = (permit: Permit): void => {
      clock.after(draw(5, 30), () => {
        const units = permit.call.characters / 4;
        const isStray = strayShare > 0 && random() < strayShare;
        const admission = isStray ? stray : provider.admit(units, clock.now());
        const fails = failureShare > 0 && random() < failureShare;
        const stated = readRateLimit(headerOf(provider.headers(clock.now())), 0);
        const said = headers === 'all' ? stated : undefined;
        if (admission.kind === 'admitted') {
          count(accepted, tokensPerMinute === undefined ? 1 : units);
          clock.after(latencyMs * draw(0.5, 1.5), () => {
            if (fails) gate.failed(permit, said, clock.now());
            else gate.accepted(permit, { prompt: units, completion: 0 }, said, clock.now());
            gate.join(call(permit.call.run));
            serve();
          });
        } else {
          count(refused, 1);
          const { waitMs, by } = admission;
          clock.after(draw(5, 30), () => {
            if (headers === 'none') gate.refused(permit, undefined, undefined, clock.now());
            else gate.refused(permit, { ...said, exceeded: by }, waitMs, clock.now());
            gate.rejoin(permit.call);
            serve();
          });
        }
      });
    };

    for (let n = 0; n < callers; n += 1) gate.join(call(`run ${n % 2}`));
    clock.at(startMs, serve);
    if (Number.isFinite(endMs)) clock.at(endMs + absenceMs, () => startWorker(name));
    if (!scenario.control) return;
    let before = gate.counts;
    clock.every(reportEveryMs, draw(0, reportEveryMs), () => {
      if (isLost()) return;
      const report = gateReport(gate, name, before, reportEveryMs, clock.now());
      before = gate.counts;
      const { state, share } = noteReport(account, report, clock.now());
      account = state;
      gate.heed(share, clock.now());
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

/** Does everything in its time, and takes none. */
function simulatedClock(): Clock {
  const events: { readonly atMs: number; readonly what: () => void }[] = [];
  let nowMs = 0;
  const at = (ms: number, what: () => void): void => {
    const later = events.findIndex(({ atMs }) => atMs > ms);
    events.splice(later < 0 ? events.length : later, 0, { atMs: Math.max(ms, nowMs), what });
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
      for (let event = events[0]; event && event.atMs < untilMs; event = events[0]) {
        events.shift();
        nowMs = event.atMs;
        event.what();
      }
    },
  };
}
