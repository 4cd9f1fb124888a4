import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { serviceNameSchema } from '../../domain/services.js';
import type { SimulatorStats } from '../../simulator/call-log.js';
import { seededDraw } from '../../simulator/faults.js';
import { markdownTable, type Benchmark, type Log } from '../benchmark.js';
import { ingestExamplePapers, inKeptFolder } from '../example-store.js';
import { eventually } from '../services/eventually.js';
import { checkRun, problemsOfRun, type RunCheck } from './check-run.js';
import { spawnWorker, turnwise, kill, killService, servicesOf } from './command-line.js';
import { endsHangingCalls, keepRunning, withRun, type CommandedRun } from './run-command.js';

export interface ChaosSettings extends CommandedRun {
  /** Determines both kills and faults. */
  readonly seed: number;
  /** The pause between two kills; null if no process is killed. */
  readonly pause: Pause | null;
  /** Whether a second worker takes part until half of the calls have arrived. It is then killed and not restarted. */
  readonly helper: boolean;
}

export interface Pause {
  /** `calls`: requests that arrive at the endpoint, so that the number of kills does not depend on the machine's speed. */
  readonly unit: 'ms' | 'calls';
  readonly least: number;
  readonly most: number;
}

const targets = [...serviceNameSchema.options, 'command'] as const;
type Target = (typeof targets)[number];

export interface ChaosResult {
  readonly kills: Readonly<Record<Target | 'helper', number>>;
  /** The sum of the calls in flight at each kill: so many calls may be repeated. */
  readonly inFlightAtKills: number;
  readonly stats: SimulatorStats;
  readonly wallMs: number;
}

/** Carries a run to its end while its processes are killed. */
export function runChaos(settings: ChaosSettings, log: Log): Promise<ChaosResult> {
  const { home, run, questions, turns, seed, helper } = settings;
  const started = { ...settings, model: { ...settings.model, seed }, options: endsHangingCalls };
  return withRun(started, async ({ model, environment, command: start }) => {
    const kills = { worker: 0, temporal: 0, milvus: 0, command: 0, helper: 0 };
    let inFlightAtKills = 0;
    let isOver = false;
    const startMs = performance.now();
    const up = helper ? turnwise(['up'], environment) : null;
    const helperWorker = helper ? await startHelper(home, environment) : null;
    const command = keepRunning(start, log);
    const killing = killRepeatedly();
    try {
      await command.done;
    } finally {
      isOver = true;
      await killing;
      helperWorker?.kill('SIGKILL');
      up?.child.kill('SIGINT');
      await up?.ended;
    }
    return { kills, inFlightAtKills, stats: model.stats(), wallMs: performance.now() - startMs };

    async function killRepeatedly(): Promise<void> {
      let order: readonly Target[] = [];
      for (let number = 1; ; number += 1) {
        await pause(seededDraw(seed, run, 'pause', number));
        if (isOver) return;
        const { received } = model.stats();
        if (helperWorker && kills.helper === 0 && received >= (questions * turns) / 2) {
          killAndCount('helper', () => helperWorker.kill('SIGKILL'));
        }
        // A kill before the first call would test nothing.
        if (settings.pause === null || received === 0) continue;
        if (order.length === 0) order = shuffled((place) => seededDraw(seed, run, number, place));
        const [target = 'worker', ...others] = order;
        order = others;
        killAndCount(target, () =>
          target === 'command' ? kill(command.current().child.pid ?? 0) : killService(home, target),
        );
      }
    }

    /** @param share - 0 for the shortest pause, 1 for the longest */
    async function pause(share: number): Promise<void> {
      const { unit, least, most } = settings.pause ?? { unit: 'ms', least: 500, most: 500 };
      const length = least + (most - least) * share;
      const now = (): number => (unit === 'ms' ? performance.now() : model.stats().received);
      const until = now() + length;
      while (!isOver && now() < until) await sleep(50);
    }

    function killAndCount(target: Target | 'helper', killTarget: () => boolean): void {
      const stats = model.stats();
      if (!killTarget()) return;
      kills[target] += 1;
      inFlightAtKills += stats.inFlight;
      log(`killed ${target} after ${stats.received} calls, ${stats.inFlight} of them in flight`);
    }
  });
}

const shuffled = (draw: (place: number) => number): readonly Target[] =>
  targets
    .map((target, index) => ({ target, place: draw(index) }))
    .sort((a, b) => a.place - b.place)
    .map(({ target }) => target);

/** Starts a second worker as soon as the services are ready. */
const startHelper = async (
  home: string,
  environment: Readonly<Record<string, string>>,
): Promise<ChildProcess> =>
  spawnWorker(
    home,
    await eventually(() => {
      const services = servicesOf(home);
      return services?.kind === 'ready' ? services : null;
    }),
    environment,
  );

const usualSettings: Omit<ChaosSettings, 'home' | 'run' | 'helper'> = {
  seed: 1,
  questions: 200,
  turns: 10,
  inFlight: 100,
  model: {
    latencyMs: 2000,
    jitter: 0.5,
    faults: { '429': 0.02, '500': 0.02, reset: 0.02, hang: 0.005, 'malformed-json': 0.02 },
  },
  pause: { unit: 'ms', least: 5_000, most: 15_000 },
};

const disturbances = [
  { name: 'one worker', run: 'chaos-1', helper: false },
  { name: 'two workers, one killed for good', run: 'chaos-2', helper: true },
];

interface CheckedRun {
  readonly name: string;
  readonly result: ChaosResult;
  readonly check: RunCheck;
}

/** An undisturbed run, then a chaos run with one worker, and one with two workers of which one is killed for good. */
export const chaosBenchmark: Benchmark = {
  summary:
    'runs of 200 questions × 10 turns whose processes are killed every 5 to 15 s, over an endpoint with faults; takes half an hour',
  run: (log) =>
    inKeptFolder(log, async (home) => {
      await ingestExamplePapers(home, log);
      log('an undisturbed run');
      const undisturbed = { run: 'undisturbed', helper: false, pause: null, model: {} };
      await runChaos({ ...usualSettings, home, ...undisturbed }, log);
      const runs: CheckedRun[] = [];
      for (const { name, ...disturbance } of disturbances) {
        log(`a chaos run with ${name}`);
        const disturbed = { ...usualSettings, home, ...disturbance };
        const result = await runChaos(disturbed, log);
        runs.push({ name, result, check: await checkRun(disturbed, undisturbed.run, result) });
      }
      // Without the counts of each question, which would fill pages.
      const figures = runs.map(({ name, result, check }) => ({
        ...{ name, ...result, check },
        stats: { ...result.stats, perQuestion: undefined },
      }));
      return {
        tables: [runTable(runs)],
        figures: { settings: usualSettings, runs: figures },
        problems: runs.flatMap(({ name, check }) =>
          problemsOfRun(check).map((problem) => `${name}: ${problem}`),
        ),
      };
    }),
};

const heading = [
  ...['', 'kills', 'faults', 'lost', 'twice', 'differing'],
  ...['repeated', 'limit of repeated', 'paid again', 's'],
];

const runTable = (runs: readonly CheckedRun[]): string =>
  markdownTable(
    heading,
    runs.map(({ name, result: { kills, stats, wallMs }, check }) => [
      name,
      ...[
        ...[Object.values(kills).reduce((a, b) => a + b), stats.refused + stats.failed],
        ...[check.lost, check.twice, check.differing.length],
        ...[check.repeated, check.mayBeRepeated, check.paidAgain, wallMs / 1000],
      ].map((figure) => figure.toFixed(0)),
    ]),
  );
