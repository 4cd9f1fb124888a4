import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RunFolder } from '../client/runs/run-folder.js';
import { runIdSchema } from '../domain/ids.js';
import { startSimulatedModel, type SimulatedModel } from '../simulator/simulated-model.js';
import { problemsOf, ratioTable, type Benchmark, type Findings, type Ratio } from './benchmark.js';
import { turnwise, type Command } from './chaos/command-line.js';
import { kill, servicesOf } from './chaos/kill-service.js';
import { ingestExamplePapers } from './example-store.js';
import { datasetOf } from './question-run.js';

export const resumeBenchmark: Benchmark = {
  summary:
    'kills every process after half of 100 questions × 10 turns, then gives the same command again, with and without a budget; takes five minutes',
  run: (log, { questions = 100, turns = 10 }) => measureResume({ questions, turns }, log),
};

interface Size {
  readonly questions: number;
  readonly turns: number;
}

/** Of a run with more questions, only the one without a budget is measured, and its calls take little time. */
const smallRun = 1000;
const run = runIdSchema.parse('resumed');

/** With a budget, calls also have to wait until the run's workflow is replayed and grants a lease. */
const runs: Readonly<Record<string, readonly string[]>> = {
  'without a budget': [],
  'with a budget': ['--budget-tokens', '1000000000'],
};

async function measureResume(size: Size, log: (step: string) => void): Promise<Findings> {
  const { questions, turns } = size;
  const measured: Resumed[] = [];
  for (const [name, options] of Object.entries(runs)) {
    if (questions > smallRun && options.length > 0) continue;
    measured.push({ name, ...(await resume(size, options, log)) });
  }
  const ratios = measured.flatMap(({ name, firstCallMs, atKill, stored, repeated }): Ratio[] => [
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
  ]);
  return {
    tables: [ratioTable(ratios)],
    figures: { questions, turns, runs: measured, ratios },
    problems: problemsOf(ratios),
  };
}

interface Resumed {
  readonly name: string;
  readonly firstCallMs: number;
  /** Calls that the endpoint had received at the kill. */
  readonly atKill: number;
  /** Replies that were stored at the kill. */
  readonly stored: number;
  /** Calls beyond one for each turn, at the end. */
  readonly repeated: number;
}

async function resume(
  { questions, turns }: Size,
  options: readonly string[],
  log: (step: string) => void,
): Promise<Omit<Resumed, 'name'>> {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-resume-'));
  const model = await startSimulatedModel({
    latencyMs: questions > smallRun ? 50 : 1000,
    jitter: 0.5,
    seed: 5,
    script: { questions: [], prompts: [], generated: { turns } },
  });
  try {
    await ingestExamplePapers(home, log);
    const dataset = join(home, 'resumed.jsonl');
    writeFileSync(dataset, datasetOf(questions));
    const settings = {
      TURNWISE_HOME: home,
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: 'sk-resume',
    };
    const named = ['run', dataset, '--store', 'examples', '--run', run, '--no-probe'];
    const args = [...named, '--concurrency', '50', ...options];
    log('waiting until half of the calls are answered');
    const first = turnwise(args, settings);
    await untilAnswered(model, (questions * turns) / 2, first);
    killEverything(home, first);
    // Requests that were already sent still arrive at the endpoint.
    await sleep(500);
    const atKill = model.stats();
    const stored = await repliesIn(home);
    log(`killed every process with ${stored} replies stored; giving the command again`);
    const start = performance.now();
    const second = turnwise(args, settings);
    while (model.stats().received === atKill.received) await waitWhileRunning(second);
    const firstCallMs = performance.now() - start;
    if ((await second.ended) !== 0) throw new Error(second.lastOutput());
    const repeated = model.stats().received - questions * turns;
    return { firstCallMs, atKill: atKill.received, stored, repeated };
  } finally {
    await model.close();
    rmSync(home, { recursive: true, force: true });
  }
}

async function untilAnswered(
  model: SimulatedModel,
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

async function repliesIn(home: string): Promise<number> {
  const folder = new RunFolder(home, run);
  let replies = 0;
  for (const { uuid } of await folder.items()) {
    replies += (await folder.repliedTurns({ uuid, epoch: 1 })).length;
  }
  return replies;
}
