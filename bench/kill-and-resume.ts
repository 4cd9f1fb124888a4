import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RunFolder } from '../client/runs/run-folder.js';
import type { RunId } from '../domain/ids.js';
import { startSimulatedModel, type SimulatedModel } from '../simulator/simulated-model.js';
import type { SimulatorSettings } from '../simulator/simulator-options.js';
import type { Ratio } from './benchmark.js';
import { turnwise, type Command } from './chaos/command-line.js';
import { kill, servicesOf } from './chaos/kill-service.js';
import { ingestExamplePapers } from './example-store.js';
import { datasetOf } from './question-run.js';

/** The size of a run whose conversations the simulated model generates. */
export interface RunSize {
  readonly questions: number;
  readonly turns: number;
}

/** A run whose model is simulated, and the command that carries it out. */
export interface KilledRun {
  readonly home: string;
  readonly run: RunId;
  readonly model: SimulatedModel;
  /** Calls of the run, each question answered once. */
  readonly calls: number;
  /** Gives the command of the run. */
  readonly command: () => Command;
}

/**
 * Prepares a run over the example papers in a home of its own, which goes when `work` has ended.
 * @param options - of the command `turnwise run`
 */
export async function withKilledRun<T>(
  run: RunId,
  { questions, turns }: RunSize,
  pace: Pick<SimulatorSettings, 'latencyMs' | 'jitter' | 'seed'>,
  options: readonly string[],
  log: (step: string) => void,
  work: (killed: KilledRun) => Promise<T>,
): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), `turnwise-${run}-`));
  const script = { questions: [], prompts: [], generated: { turns } };
  const model = await startSimulatedModel({ ...pace, script });
  try {
    await ingestExamplePapers(home, log);
    const dataset = join(home, `${run}.jsonl`);
    writeFileSync(dataset, datasetOf(questions));
    const settings = {
      TURNWISE_HOME: home,
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: 'sk-simulated',
    };
    const named = ['run', dataset, '--store', 'examples', '--run', run, '--no-probe'];
    const command = (): Command => turnwise([...named, ...options], settings);
    return await work({ home, run, model, calls: questions * turns, command });
  } finally {
    await model.close();
    rmSync(home, { recursive: true, force: true });
  }
}

export interface Resumed {
  readonly firstCallMs: number;
  /** Calls that the endpoint had received at the kill. */
  readonly atKill: number;
  /** Replies that were stored at the kill. */
  readonly stored: number;
  /** Calls beyond one for each turn, at the end. */
  readonly repeated: number;
}

/** Kills every process of a run with SIGKILL, gives its command again, and waits for the end of the run. */
export async function killAndResume(
  { home, run, model, calls, command }: KilledRun,
  first: Command,
  log: (step: string) => void,
): Promise<Resumed> {
  killEverything(home, first);
  // Requests that were already sent still arrive at the endpoint.
  await sleep(500);
  const atKill = model.stats().received;
  const stored = await repliesIn(home, run);
  log(`killed every process with ${stored} replies stored; giving the command again`);
  const start = performance.now();
  const second = command();
  while (model.stats().received === atKill) await waitWhileRunning(second);
  const firstCallMs = performance.now() - start;
  if ((await second.ended) !== 0) throw new Error(second.lastOutput());
  return { firstCallMs, atKill, stored, repeated: model.stats().received - calls };
}

export const resumedRatios = (
  name: string,
  { firstCallMs, atKill, stored, repeated }: Resumed,
): readonly Ratio[] => [
  {
    name: `${name}: seconds from the command to the first new call`,
    value: firstCallMs / 1000,
    limit: 10,
    bound: 'at most',
  },
  {
    name: `${name}: repeated calls whose reply was stored`,
    value: repeated - (atKill - stored),
    limit: 0,
    bound: 'at most',
  },
];

/** Waits until the model has answered as many calls. Throws if the command has ended before. */
export async function untilAnswered(
  { model }: KilledRun,
  calls: number,
  command: Command,
): Promise<void> {
  while (model.stats().completed < calls) await waitWhileRunning(command);
}

/** Waits 10 ms. Throws if the command has ended. */
async function waitWhileRunning({ child, lastOutput }: Command): Promise<void> {
  if (child.exitCode !== null) throw new Error(lastOutput());
  await sleep(10);
}

/** Kills the command, the supervisor and every service. */
function killEverything(home: string, command: Command): void {
  const record = servicesOf(home);
  kill(-(command.child.pid ?? 0));
  if (record === null) return;
  for (const { pid } of [record.supervisor, ...record.services]) kill(pid);
}

async function repliesIn(home: string, run: RunId): Promise<number> {
  const folder = new RunFolder(home, run);
  let replies = 0;
  for (const { uuid } of await folder.items()) {
    replies += (await folder.repliedTurns({ uuid, epoch: 1 })).length;
  }
  return replies;
}
