import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededDraw } from '../../simulator/faults.js';
import { startSimulatedModel } from '../../simulator/simulated-model.js';
import type { SimulatorSettings } from '../../simulator/simulator-options.js';
import type { SimulatorStats } from '../../simulator/call-log.js';
import { serviceNameSchema } from '../../domain/services.js';
import { bareWorker } from '../bare-worker.js';
import { datasetOf } from '../question-run.js';
import { turnwise, type Command } from './command-line.js';
import { kill, killService, servicesOf } from './victims.js';

export interface Storm {
  /** Of kills and faults alike. */
  readonly seed: number;
  /** TURNWISE_HOME, with a store named `examples` in it. */
  readonly home: string;
  /** The run's id. */
  readonly run: string;
  readonly questions: number;
  readonly turns: number;
  readonly inFlight: number;
  readonly model: Pick<SimulatorSettings, 'latencyMs' | 'jitter' | 'faults'>;
  /** Between two kills; null where nobody is killed. */
  readonly pause: Pause | null;
  /** Whether a second worker helps until half of the calls are made and is then killed for good. */
  readonly helper: boolean;
}

export interface Pause {
  /** Calls that arrive at the endpoint, where a certain number of kills is wanted. */
  readonly unit: 'ms' | 'calls';
  readonly least: number;
  readonly most: number;
}

const victims = [...serviceNameSchema.options, 'command'] as const;
type Victim = (typeof victims)[number];

export interface Weathered {
  readonly kills: Readonly<Record<Victim | 'helper', number>>;
  /** Calls under way at the kills, added up: what may be made again. */
  readonly inFlightAtKills: number;
  readonly stats: SimulatorStats;
  readonly wallMs: number;
}

/** Of a call that hangs, in seconds; the simulated model never takes as long. */
const modelTimeoutSeconds = 10;

/** Asks questions by `turnwise run`, called again whenever it was killed, until it says that the run is done. */
export async function weather(storm: Storm, tell: (step: string) => void): Promise<Weathered> {
  const { home, run, questions, turns, inFlight, seed, helper } = storm;
  const model = await startSimulatedModel({
    ...storm.model,
    seed,
    script: { questions: [], prompts: [], generated: { turns } },
  });
  const settings = { TURNWISE_HOME: home, OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-chaos' };
  const dataset = join(home, `${run}.jsonl`);
  mkdirSync(home, { recursive: true });
  writeFileSync(dataset, datasetOf(questions));
  const arguments_ = [
    ...['run', dataset, '--store', 'examples', '--run', run],
    ...['--concurrency', String(inFlight), '--model-timeout', String(modelTimeoutSeconds)],
  ];
  const kills = { worker: 0, temporal: 0, milvus: 0, command: 0, helper: 0 };
  let inFlightAtKills = 0;
  let over = false;
  const start = performance.now();
  const up = helper ? turnwise(['up'], settings) : null;
  const second = helper ? await secondWorker(home, settings) : null;
  let command = turnwise(arguments_, settings);
  const killing = killOnAndOn();
  try {
    await untilDone();
  } finally {
    over = true;
    await killing;
    second?.kill('SIGKILL');
    up?.child.kill('SIGINT');
    await up?.ended;
    await model.close();
  }
  return { kills, inFlightAtKills, stats: model.stats(), wallMs: performance.now() - start };

  async function untilDone(): Promise<void> {
    for (;;) {
      const status = await command.ended;
      if (status === 0 || status === 1) return;
      tell(status === null ? 'the command was killed: again' : `again, after: ${ending(command)}`);
      command = turnwise(arguments_, settings);
    }
  }

  async function killOnAndOn(): Promise<void> {
    let order: readonly Victim[] = [];
    for (let number = 1; ; number += 1) {
      await passing(seededDraw(seed, run, 'pause', number));
      if (over) return;
      const { received } = model.stats();
      if (second && kills.helper === 0 && received >= (questions * turns) / 2) {
        strike('helper', () => second.kill('SIGKILL'));
      }
      // Nothing is proved by the death of what has hardly begun.
      if (storm.pause === null || received === 0) continue;
      if (order.length === 0) order = shuffled(victims, (at) => seededDraw(seed, run, number, at));
      const [victim = 'worker', ...others] = order;
      order = others;
      strike(victim, () =>
        victim === 'command' ? kill(command.child.pid ?? 0) : killService(home, victim),
      );
    }
  }

  /** @param share - how much of what is between the shortest and the longest pause */
  async function passing(share: number): Promise<void> {
    const { unit, least, most } = storm.pause ?? { unit: 'ms', least: 500, most: 500 };
    const pause = least + (most - least) * share;
    const before = model.stats().received;
    const until = performance.now() + pause;
    const isPast = (): boolean =>
      unit === 'ms' ? performance.now() >= until : model.stats().received >= before + pause;
    while (!over && !isPast()) await sleep(50);
  }

  function strike(victim: Victim | 'helper', killIt: () => boolean): void {
    const { received, inFlight: underWay } = model.stats();
    if (!killIt()) return;
    kills[victim] += 1;
    inFlightAtKills += underWay;
    tell(`killed ${victim} after ${received} calls, ${underWay} of them under way`);
  }
}

function shuffled<T>(items: readonly T[], draw: (index: number) => number): readonly T[] {
  return items
    .map((item, index) => ({ item, place: draw(index) }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

const ending = ({ lastWords }: Command): string => lastWords().trim().split('\n').at(-1) ?? '';

/** Once there are services for it. */
async function secondWorker(
  home: string,
  settings: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  for (;;) {
    const services = servicesOf(home);
    if (services?.kind === 'ready') return bareWorker(home, services, settings);
    await sleep(200);
  }
}
