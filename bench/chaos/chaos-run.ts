import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededDraw } from '../../simulator/faults.js';
import { startSimulatedModel } from '../../simulator/simulated-model.js';
import type { SimulatorSettings } from '../../simulator/simulator-options.js';
import type { SimulatorStats } from '../../simulator/call-log.js';
import { serviceNameSchema } from '../../domain/services.js';
import { spawnWorker } from '../services/worker-process.js';
import { turnwise } from './command-line.js';
import { kill, killService, servicesOf } from './kill-service.js';
import { startRunCommand, type CommandedRun } from './run-command.js';

/** Its home has a store named `examples`. */
export interface ChaosSettings extends CommandedRun {
  /** Determines both kills and faults. */
  readonly seed: number;
  readonly turns: number;
  readonly model: Pick<SimulatorSettings, 'latencyMs' | 'jitter' | 'faults'>;
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
export async function runChaos(
  settings: ChaosSettings,
  log: (step: string) => void,
): Promise<ChaosResult> {
  const { home, run, questions, turns, seed, helper } = settings;
  const model = await startSimulatedModel({
    ...settings.model,
    seed,
    script: { questions: [], prompts: [], generated: { turns } },
  });
  const environment = {
    TURNWISE_HOME: home,
    OPENAI_BASE_URL: model.url,
    OPENAI_API_KEY: 'sk-chaos',
  };
  const kills = { worker: 0, temporal: 0, milvus: 0, command: 0, helper: 0 };
  let inFlightAtKills = 0;
  let isOver = false;
  const start = performance.now();
  const up = helper ? turnwise(['up'], environment) : null;
  const helperWorker = helper ? await startHelper(home, environment) : null;
  const command = startRunCommand(settings, environment, log);
  const killing = killRepeatedly();
  try {
    await command.done;
  } finally {
    isOver = true;
    await killing;
    helperWorker?.kill('SIGKILL');
    up?.child.kill('SIGINT');
    await up?.ended;
    await model.close();
  }
  return { kills, inFlightAtKills, stats: model.stats(), wallMs: performance.now() - start };

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
      if (order.length === 0) order = shuffled(targets, (at) => seededDraw(seed, run, number, at));
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
    const before = model.stats().received;
    const until = performance.now() + length;
    const isPast = (): boolean =>
      unit === 'ms' ? performance.now() >= until : model.stats().received >= before + length;
    while (!isOver && !isPast()) await sleep(50);
  }

  function killAndCount(target: Target | 'helper', killTarget: () => boolean): void {
    const stats = model.stats();
    if (!killTarget()) return;
    kills[target] += 1;
    inFlightAtKills += stats.inFlight;
    log(`killed ${target} after ${stats.received} calls, ${stats.inFlight} of them in flight`);
  }
}

function shuffled<T>(items: readonly T[], draw: (index: number) => number): readonly T[] {
  return items
    .map((item, index) => ({ item, place: draw(index) }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

/** Starts a second worker as soon as the services are ready. */
async function startHelper(
  home: string,
  environment: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  for (;;) {
    const services = servicesOf(home);
    if (services?.kind === 'ready') return spawnWorker(home, services, environment);
    await sleep(200);
  }
}
