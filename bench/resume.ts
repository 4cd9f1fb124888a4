import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runIdSchema } from '../domain/ids.js';
import { runFolder } from '../domain/runs/run-layout.js';
import { startSimulatedModel, type SimulatedModel } from '../simulator/simulated-model.js';
import { problemsOf, ratioTable, type Benchmark, type Findings, type Ratio } from './benchmark.js';
import { ingestExamples } from './chaos.js';
import { turnwise, type Command } from './chaos/command-line.js';
import { kill, servicesOf } from './chaos/victims.js';
import { datasetOf } from './question-run.js';

export const resumeBenchmark: Benchmark = {
  summary:
    'kill -9 of everything at half of 100 questions × 10 turns, then the same command, with and without a budget; takes five minutes',
  run: measureResume,
};

const questions = 100;
const turns = 10;
const run = runIdSchema.parse('resumed');

/** Calls of a run that has a budget wait for its workflow, which has to take up its work first. */
const runs: Readonly<Record<string, readonly string[]>> = {
  'without a budget': [],
  'with a budget': ['--budget-tokens', '1000000000'],
};

async function measureResume(tell: (step: string) => void): Promise<Findings> {
  const measured: Resumed[] = [];
  for (const [name, options] of Object.entries(runs)) {
    measured.push({ name, ...(await resume(options, tell)) });
  }
  const ratios = measured.flatMap(({ name, firstCallMs, atKill, stored, repeated }): Ratio[] => [
    {
      name: `${name}: seconds from the command to its first new call`,
      value: firstCallMs / 1000,
      limit: 10,
      isToBe: 'at most',
    },
    {
      name: `${name}: calls made beyond one a turn, less those of which no reply was stored at the kill`,
      value: repeated - (atKill - stored),
      limit: 0,
      isToBe: 'at most',
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
  /** Calls that had been made. */
  readonly atKill: number;
  /** Replies that had been stored. */
  readonly stored: number;
  /** Calls beyond one a turn, at the end. */
  readonly repeated: number;
}

async function resume(
  options: readonly string[],
  tell: (step: string) => void,
): Promise<Omit<Resumed, 'name'>> {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-resume-'));
  const model = await startSimulatedModel({
    latencyMs: 1000,
    jitter: 0.5,
    seed: 5,
    script: { questions: [], prompts: [], generated: { turns } },
  });
  try {
    await ingestExamples(home, tell);
    const dataset = join(home, 'resumed.jsonl');
    writeFileSync(dataset, datasetOf(questions));
    const settings = {
      TURNWISE_HOME: home,
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: 'sk-resume',
    };
    const named = ['run', dataset, '--store', 'examples', '--run', run];
    const args = [...named, '--concurrency', '50', ...options];
    tell('until half of the calls are answered');
    const first = turnwise(args, settings);
    await untilAnswered(model, (questions * turns) / 2, first);
    killEverything(home, first);
    // Calls that were on their way are seen by the endpoint a moment later.
    await sleep(500);
    const atKill = model.stats();
    // Answers that were on their way reach nobody.
    const stored = repliesIn(home);
    tell(`killed everything with ${stored} replies stored, and call it again`);
    const start = performance.now();
    const second = turnwise(args, settings);
    while (model.stats().received === atKill.received) await stillThere(second);
    const firstCallMs = performance.now() - start;
    if ((await second.ended) !== 0) throw new Error(second.lastWords());
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
  while (model.stats().completed < calls) await stillThere(command);
}

/** Waits a moment. Throws where the command has ended before its time. */
async function stillThere({ child, lastWords }: Command): Promise<void> {
  if (child.exitCode !== null) throw new Error(lastWords());
  await sleep(10);
}

/** The command, its supervisor, and every service, at once. */
function killEverything(home: string, command: Command): void {
  const served = servicesOf(home);
  kill(-(command.child.pid ?? 0));
  if (served === null) return;
  for (const { pid } of [served.supervisor, ...served.services]) kill(pid);
}

const repliesIn = (home: string): number =>
  readdirSync(join(home, runFolder(run), 'turns'), { recursive: true }).filter((file) =>
    String(file).endsWith('.reply.json'),
  ).length;
