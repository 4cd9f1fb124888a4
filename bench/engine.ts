import { setTimeout as sleep } from 'node:timers/promises';
import type { HomeClient } from '../client/services/home-client.js';
import { searchAttributes, type RunId } from '../domain/ids.js';
import { percentile } from '../domain/statistics/means.js';
import { openRunFiles } from '../storage/runs/run-files.js';
import { workflowNames } from '../workflows/messages.js';
import { askBare, requestsOf } from './bare/openai-loop.js';
import { withBareLoop, type BareLoop } from './bare/temporal-loop.js';
import {
  atMost,
  markdownTable,
  ratioFindings,
  type Benchmark,
  type Findings,
  type Log,
  type Ratio,
} from './benchmark.js';
import { withExampleStore, type ExampleStore } from './example-store.js';
import { askQuestions, conversationsOf, datasetOf, withModel } from './question-run.js';
import { historyBytes, serviceCpuMs } from './services/usage.js';

export const engineBenchmark: Benchmark = {
  summary:
    'runs of 200 questions × 10 turns, compared with the ideal, a loop around `openai` and a bare Temporal loop; takes ten minutes',
  run: (log) => withExampleStore(log, (store) => measureEngine(store, log)),
};

/** `latencyMs`: of model calls in the rounds that are not bound by the CPU. `rounds`: those that are. */
const load = { questions: 200, turns: 10, inFlight: 100, latencyMs: 2000, rounds: 3 };
const { questions, turns, inFlight, latencyMs, rounds } = load;
const seconds = latencyMs / 1000;
const asked = { dataset: datasetOf(questions), inFlight };
const script = conversationsOf(turns);

async function measureEngine(store: ExampleStore, log: Log): Promise<Findings> {
  const fixed = await fixedLatency(store, log);
  const jittered = await jitteredLatency(store, log);
  const { client, services } = store.session;
  const { fast, floor } = await withBareLoop(client, services.temporalAddress, async (bare) => ({
    fast: await noLatency(store, bare, log),
    floor: await measureFloor(bare, fixed.idealMs, log),
  }));
  const alone = await oneAlone(store, log);
  const history = await historyPerTurn(store, log);
  return ratioFindings(
    [fixed.ratio, jittered.ratio, alone.ratio, ...history.ratios],
    { load, fixed, jittered, fast, floor, alone, history },
    throughputTable(fast),
    markdownTable(
      ['the bare Temporal loop', 'measured'],
      [
        ['wall / ideal, every call takes equally long', floor.wallByIdeal.toFixed(2)],
        ['milliseconds a turn, one question alone, calls of 0 ms', floor.aloneMs.toFixed(1)],
      ],
    ),
  );
}

/** All calls take the same time, so that the questions in flight send their calls together. */
async function fixedLatency(store: ExampleStore, log: Log) {
  log(`${questions} questions × ${turns} turns, ${latencyMs} ms a call`);
  const { wallMs } = await withModel({ latencyMs, script }, ({ url }) =>
    askQuestions(store, { name: 'fixed', ...asked, baseUrl: url }),
  );
  const idealMs = Math.ceil(questions / inFlight) * turns * latencyMs;
  const name = `wall / ideal, every call takes ${seconds} s`;
  return { wallMs, idealMs, ratio: atMost(name, wallMs / idealMs, 1.12) };
}

/** Compares a run with a loop that makes the same calls, each with the same latency. */
async function jitteredLatency(store: ExampleStore, log: Log) {
  log(`the same, ± 50 %, and a loop around openai with the same requests`);
  const endpoint = { latencyMs, jitter: 0.5, seed: 7, script };
  const { wallMs, manifest } = await withModel(endpoint, ({ url }) =>
    askQuestions(store, { name: 'jittered', ...asked, baseUrl: url }),
  );
  const requests = await requestsOf(store.home, manifest);
  const bareMs = await withModel(endpoint, ({ url }) => askBare(url, requests, inFlight));
  const name = `wall / loop around \`openai\`, calls of ${seconds} s ± 50 %`;
  return { wallMs, bareMs, ratio: atMost(name, wallMs / bareMs, 1.06) };
}

/** Throughput when calls take no time, compared with a loop of two empty activities a turn on the same server. */
const noLatency = (store: ExampleStore, bare: BareLoop, log: Log): Promise<readonly Round[]> =>
  withModel({ script }, async ({ url }) => {
    const perRound: Round[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      log(`0 ms a call, round ${round} of ${rounds}`);
      const bareRound = await measureLoad(store, bare, () =>
        bare.ask({ questions, turns, inFlight }),
      );
      const ours = await measureLoad(store, bare, async () => {
        const run = { name: `fast-${round}`, ...asked, baseUrl: url };
        return (await askQuestions(store, run)).wallMs;
      });
      perRound.push({ ours, bare: bareRound });
    }
    return perRound;
  });

/** What the bare Temporal loop takes for the same loads: the least that Temporal needs on this machine. */
async function measureFloor(bare: BareLoop, idealMs: number, log: Log) {
  log(`the bare Temporal loop, ${latencyMs} ms a call, and one question alone`);
  const wallMs = await bare.ask({ questions, turns, inFlight, latencyMs });
  const aloneMs = (await bare.ask({ questions: 3, turns: 20, inFlight: 1 })) / 60;
  return { wallByIdeal: wallMs / idealMs, aloneMs };
}

interface Throughput {
  readonly turnsPerSecond: number;
  /** Milliseconds of CPU time a turn. Unlike the wall time, it hardly depends on what else the machine runs. */
  readonly cpuMs: Readonly<Record<'server' | 'worker' | 'milvus' | 'endpoint', number>>;
}

interface Round {
  readonly ours: Throughput;
  readonly bare: Throughput;
}

async function measureLoad(
  { home }: ExampleStore,
  bare: BareLoop,
  work: () => Promise<number>,
): Promise<Throughput> {
  const before = { ...serviceCpuMs(home), bare: bare.cpuMs(), own: process.cpuUsage() };
  const wallMs = await work();
  const after = serviceCpuMs(home);
  const own = process.cpuUsage(before.own);
  const totalTurns = questions * turns;
  return {
    turnsPerSecond: (1000 * totalTurns) / wallMs,
    cpuMs: {
      server: (after.temporal - before.temporal) / totalTurns,
      // During a round only one of the two workers has work.
      worker: (after.worker - before.worker + bare.cpuMs() - before.bare) / totalTurns,
      milvus: (after.milvus - before.milvus) / totalTurns,
      endpoint: (own.user + own.system) / 1000 / totalTurns,
    },
  };
}

function throughputTable(all: readonly Round[]): string {
  const row = (name: string, of: keyof Round): readonly string[] => {
    const median = (pick: (one: Throughput) => number): string =>
      percentile(
        all.map((round) => pick(round[of])),
        50,
      ).toFixed(1);
    return [
      name,
      median((one) => one.turnsPerSecond),
      median((one) => one.cpuMs.server),
      median((one) => one.cpuMs.worker),
      median((one) => one.cpuMs.milvus),
      median((one) => one.cpuMs.endpoint),
    ];
  };
  return markdownTable(
    ['calls of 0 ms', 'turns/s', 'server, ms CPU a turn', 'worker', 'Milvus', 'endpoint'],
    [row('empty activities of the same kinds', 'bare'), row('turnwise', 'ours')],
  );
}

/** The time from one model call of a question to its next, with no other question in flight. */
async function oneAlone(store: ExampleStore, log: Log) {
  const turnsAlone = 20;
  log(`3 questions × ${turnsAlone} turns, one after the other, 0 ms a call`);
  const { manifest } = await withModel({ script: conversationsOf(turnsAlone) }, ({ url }) =>
    askQuestions(store, { name: 'alone', dataset: datasetOf(3), inFlight: 1, baseUrl: url }),
  );
  const { run } = manifest;
  const runFiles = openRunFiles(store.home);
  const gapsMs: number[] = [];
  for (const { uuid } of await runFiles.items(run)) {
    for (let turn = 1; turn < turnsAlone; turn += 1) {
      const key = { uuid, epoch: 1 };
      const [one, next] = await Promise.all([
        runFiles.reply(run, key, turn),
        runFiles.reply(run, key, turn + 1),
      ]);
      if (one && next) gapsMs.push(Date.parse(next.startedAt) - Date.parse(one.startedAt));
    }
  }
  const name = 'milliseconds a turn, one question alone, calls of 0 ms';
  return { gapsMs, ratio: atMost(name, percentile(gapsMs, 50), 25) };
}

/** Bytes of history for long and short questions, and for small and large windows of the conversation. */
async function historyPerTurn(store: ExampleStore, log: Log) {
  const shapes = [
    { length: 10, windowSize: 5 },
    { length: 10, windowSize: 20 },
    { length: 20, windowSize: 5 },
    { length: 2, windowSize: 5 },
  ];
  const few = 10;
  const ratios: Ratio[] = [];
  for (const { length, windowSize } of shapes) {
    log(`bytes of history, ${length} turns, window of ${windowSize}`);
    const name = `history-${length}-${windowSize}`;
    const run = { name, dataset: datasetOf(few), inFlight: few, config: { windowSize } };
    const { manifest } = await withModel({ script: conversationsOf(length) }, ({ url }) =>
      askQuestions(store, { ...run, baseUrl: url }),
    );
    const sizes = await questionHistories(store.session.client, manifest.run, few);
    const bytes = Math.round(sizes.reduce((a, b) => a + b, 0) / few / length);
    ratios.push(
      atMost(`bytes of history a turn, ${length} turns, window of ${windowSize}`, bytes, 2500),
    );
  }
  return { ratios };
}

/** Bytes of Temporal history of each question of a finished run. */
async function questionHistories(
  client: HomeClient,
  run: RunId,
  count: number,
): Promise<readonly number[]> {
  const query = `${searchAttributes.run} = '${run}' AND WorkflowType = '${workflowNames.answerQuestion}' AND ExecutionStatus = 'Completed'`;
  for (;;) {
    const bytes = await historyBytes(client, query);
    if (bytes.length >= count) return bytes;
    // Temporal lists a completed workflow only some seconds later.
    await sleep(500);
  }
}
