import { setTimeout as sleep } from 'node:timers/promises';
import { withSession } from '../client/commands/shared/execute.js';
import { RunFolder } from '../client/runs/run-folder.js';
import { loadEnvironment } from '../client/services/environment.js';
import { runIdSchema, runWorkflowId, type RunId } from '../domain/ids.js';
import { percentile } from '../domain/statistics/means.js';
import {
  atMost,
  markdownTable,
  ratioFindings,
  type Benchmark,
  type Findings,
  type Log,
  type Ratio,
} from './benchmark.js';
import { succeeded, turnwise, kill, servicesOf, type Command } from './chaos/command-line.js';
import { withRun, type CommandedRun, type ReadyRun } from './chaos/run-command.js';
import { ingestExamplePapers, withFolder } from './example-store.js';
import { historyBytes, serviceMemoryMib } from './services/usage.js';

/** With a budget, calls also have to wait until the run's workflow is replayed and grants a lease. */
const budgets: Readonly<Record<string, readonly string[]>> = {
  'without a budget': [],
  'with a budget': ['--budget-tokens', '1000000000'],
};

export const resumeBenchmark: Benchmark = {
  summary:
    'kills every process after half of 100 questions × 10 turns, then gives the same command again, with and without a budget; takes five minutes',
  run: async (log, { questions = 100, turns = 10 }) => {
    const size = { questions, turns };
    const model = { latencyMs: 1000, jitter: 0.5, seed: 5 };
    const runs: (Resumed & { readonly name: string })[] = [];
    for (const [name, options] of Object.entries(budgets)) {
      const run = { ...size, inFlight: 50, model, options };
      const resumed = await withKilledRun(run, log, async (killed) => {
        log('waiting until half of the calls are answered');
        const first = killed.command();
        await untilAnswered(killed, killed.calls / 2, first);
        return killAndResume(killed, first, log);
      });
      runs.push({ name, ...resumed });
    }
    const ratios = runs.flatMap((resumed) => resumedRatios(resumed.name, resumed));
    return ratioFindings(ratios, { ...size, runs });
  },
};

export const scaleBenchmark: Benchmark = {
  summary:
    'a run of 10,000 questions × 2 turns, in which everything is killed once: memory, history, `status`, resumption; takes a quarter of an hour',
  run: (log, { questions = 10_000, turns = 2 }) => {
    const size = { questions, turns };
    return withKilledRun({ ...size, inFlight: 100, model: {} }, log, (killed) =>
      measureScale(killed, size, log),
    );
  },
};

interface Sample {
  /** Calls that are answered. */
  readonly answered: number;
  /** Resident memory of the worker, in MiB. */
  readonly workerMb: number;
  /** The same of the Temporal server. */
  readonly serverMb: number;
  /** The duration of the `turnwise status` command. */
  readonly statusMs: number;
}

async function measureScale(killed: KilledRun, size: object, log: Log): Promise<Findings> {
  const { home, run, calls } = killed;
  const start = performance.now();
  const first = killed.command();
  const samples: Sample[] = [];
  for (let tenth = 1; tenth < 10; tenth += 1) {
    const answered = (calls * tenth) / 10;
    await untilAnswered(killed, answered, first);
    samples.push(await takeSample(killed, answered));
    log(`${answered} of ${calls} calls answered`);
  }
  const untilKillMs = performance.now() - start;
  const resumed = await killAndResume(killed, first, log);
  const environment = { ...loadEnvironment(), TURNWISE_HOME: home };
  const histories = await withSession(environment, ({ client }) =>
    historyBytes(client, `WorkflowId = '${runWorkflowId(client.home, run)}'`),
  );
  const growth = (of: (sample: Sample) => number): number => {
    const [earliest, latest] = [samples[0], samples.at(-1)];
    return earliest && latest ? of(latest) / of(earliest) : NaN;
  };
  const slowestMs = Math.max(...samples.map(({ statusMs }) => statusMs));
  const ratios = [
    atMost(
      'memory of the worker at nine tenths / at one',
      growth(({ workerMb }) => workerMb),
      1.2,
    ),
    atMost(
      'memory of the server at nine tenths / at one',
      growth(({ serverMb }) => serverMb),
      1.2,
    ),
    atMost("the run's largest history, in MB", Math.max(...histories) / 1e6, 4),
    atMost('slowest `turnwise status`, in seconds', slowestMs / 1000, 1),
    ...resumedRatios('killed at nine tenths', resumed),
  ];
  const figures = { ...size, untilKillMs, samples, resumed, histories };
  return ratioFindings(ratios, figures, sampleTable(samples));
}

async function takeSample({ home, run }: KilledRun, answered: number): Promise<Sample> {
  const durations: number[] = [];
  for (let time = 0; time < 3; time += 1) {
    const start = performance.now();
    await succeeded(turnwise(['status', run], { TURNWISE_HOME: home }));
    durations.push(performance.now() - start);
  }
  return {
    answered,
    workerMb: serviceMemoryMib(home, 'worker', 'VmRSS'),
    serverMb: serviceMemoryMib(home, 'temporal', 'VmRSS'),
    statusMs: percentile(durations, 50),
  };
}

const sampleTable = (samples: readonly Sample[]): string =>
  markdownTable(
    ['calls answered', 'worker, MiB', 'server, MiB', '`status`, ms'],
    samples.map(({ answered, workerMb, serverMb, statusMs }) =>
      [answered, workerMb, serverMb, statusMs].map((figure) => figure.toFixed(0)),
    ),
  );

/** A run over the example papers in a home of its own. */
interface KilledRun extends ReadyRun {
  readonly home: string;
  readonly run: RunId;
  /** Calls of the run, each question answered once. */
  readonly calls: number;
}

const withKilledRun = <T>(
  given: Omit<CommandedRun, 'home' | 'run'>,
  log: Log,
  work: (killed: KilledRun) => Promise<T>,
): Promise<T> =>
  withFolder(async (home) => {
    await ingestExamplePapers(home, log);
    const calls = given.questions * given.turns;
    const run = runIdSchema.parse('killed');
    return withRun({ ...given, home, run }, (ready) => work({ ...ready, home, run, calls }));
  });

interface Resumed {
  readonly firstCallMs: number;
  /** Calls that the endpoint had received at the kill. */
  readonly atKill: number;
  /** Replies that were stored at the kill. */
  readonly stored: number;
  /** Calls beyond one for each turn, at the end. */
  readonly repeated: number;
}

/** Kills every process of a run with SIGKILL, gives its command again, and waits for the end of the run. */
async function killAndResume(
  { home, run, model, calls, command }: KilledRun,
  first: Command,
  log: Log,
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
  await succeeded(second);
  return { firstCallMs, atKill, stored, repeated: model.stats().received - calls };
}

const resumedRatios = (
  name: string,
  { firstCallMs, atKill, stored, repeated }: Resumed,
): readonly Ratio[] => [
  atMost(`${name}: seconds from the command to the first new call`, firstCallMs / 1000, 10),
  atMost(`${name}: repeated calls whose reply was stored`, repeated - (atKill - stored), 0),
];

/** Waits until the model has answered as many calls. Throws if the command has ended before. */
async function untilAnswered({ model }: KilledRun, calls: number, command: Command): Promise<void> {
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
