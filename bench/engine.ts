import type { RunConfig } from '../domain/runs/run-config.js';
import { percentile } from '../domain/statistics/latencies.js';
import { openRunFiles } from '../storage/runs/run-files.js';
import { askBare, requestsOf } from './bare/openai-loop.js';
import { withBareLoop, type BareLoop } from './bare/temporal-loop.js';
import {
  markdownTable,
  problemsOf,
  ratioTable,
  type Benchmark,
  type Findings,
  type Ratio,
} from './benchmark.js';
import { serviceCpuMs } from './services/cpu-time.js';
import { withExampleStore, type ExampleStore } from './example-store.js';
import { questionHistoryBytes } from './services/history-size.js';
import { askQuestions, withModel, type FinishedQuestionRun } from './question-run.js';

export const engineBenchmark: Benchmark = {
  summary:
    'runs of 200 questions × 10 turns, compared with the ideal, a loop around `openai` and a bare Temporal loop; takes ten minutes',
  run: (log) => withExampleStore(log, (store) => measureEngine(store, usualLoad, log)),
};

export interface EngineLoad {
  readonly questions: number;
  readonly turns: number;
  readonly inFlight: number;
  /** The latency of model calls in the rounds that are not bound by the CPU. */
  readonly latencyMs: number;
  /** The number of CPU-bound rounds; each runs the bare loop first and turnwise after it. */
  readonly rounds: number;
}

const usualLoad: EngineLoad = {
  questions: 200,
  turns: 10,
  inFlight: 100,
  latencyMs: 2000,
  rounds: 3,
};

type Log = (step: string) => void;

export async function measureEngine(
  store: ExampleStore,
  load: EngineLoad,
  log: Log,
): Promise<Findings> {
  const fixed = await fixedLatency(store, load, log);
  const jittered = await jitteredLatency(store, load, log);
  const { client, services } = store.session;
  const { fast, floor } = await withBareLoop(client, services.temporalAddress, async (bare) => ({
    fast: await noLatency(store, load, bare, log),
    floor: await measureFloor(load, bare, fixed.idealMs, log),
  }));
  const alone = await oneAlone(store, log);
  const history = await historyPerTurn(store, log);
  const ratios = [fixed.ratio, jittered.ratio, alone.ratio, ...history.ratios];
  return {
    tables: [ratioTable(ratios), fast.table, floorTable(floor)],
    figures: { load, ratios, fixed, jittered, fast: fast.figures, floor, alone, history },
    problems: problemsOf(ratios),
  };
}

/** All calls take the same time, so that the questions in flight send their calls together. */
async function fixedLatency(store: ExampleStore, load: EngineLoad, log: Log) {
  const { questions, turns, inFlight, latencyMs } = load;
  log(`${questions} questions × ${turns} turns, ${latencyMs} ms a call`);
  const { wallMs } = await withModel({ latencyMs }, turns, (baseUrl) =>
    askQuestions(store, { name: 'fixed', questions, inFlight, baseUrl }),
  );
  const idealMs = Math.ceil(questions / inFlight) * turns * latencyMs;
  const name = `wall / ideal, every call takes ${latencyMs / 1000} s`;
  return {
    wallMs,
    idealMs,
    ratio: { name, value: wallMs / idealMs, limit: 1.12, bound: 'at most' } as const,
  };
}

/** Compares a run with a loop that makes the same calls, each with the same latency. */
async function jitteredLatency(store: ExampleStore, load: EngineLoad, log: Log) {
  const { questions, turns, inFlight, latencyMs } = load;
  log(`the same, ± 50 %, and a loop around openai with the same requests`);
  const settings = { latencyMs, jitter: 0.5, seed: 7 };
  const { wallMs, manifest } = await withModel(settings, turns, (baseUrl) =>
    askQuestions(store, { name: 'jittered', questions, inFlight, baseUrl }),
  );
  const requests = await requestsOf(store.home, manifest);
  const bareMs = await withModel(settings, turns, (url) => askBare(url, requests, inFlight));
  const name = `wall / loop around \`openai\`, calls of ${latencyMs / 1000} s ± 50 %`;
  return {
    wallMs,
    bareMs,
    ratio: { name, value: wallMs / bareMs, limit: 1.06, bound: 'at most' } as const,
  };
}

/** Throughput when calls take no time, compared with a loop of two empty activities a turn on the same server. */
async function noLatency(store: ExampleStore, load: EngineLoad, bare: BareLoop, log: Log) {
  const { questions, turns, inFlight, rounds } = load;
  const perRound: Round[] = [];
  await withModel({}, turns, async (baseUrl) => {
    for (let round = 1; round <= rounds; round += 1) {
      log(`0 ms a call, round ${round} of ${rounds}`);
      const bareRound = await measureLoad(store, load, bare, () =>
        bare.ask({ questions, turns, inFlight }),
      );
      const ours = await measureLoad(store, load, bare, async () => {
        const name = `fast-${round}`;
        return (await askQuestions(store, { name, questions, inFlight, baseUrl })).wallMs;
      });
      perRound.push({ ours, bare: bareRound });
    }
  });
  return { figures: perRound, table: throughputTable(perRound) };
}

/** What the bare Temporal loop takes for the same loads: the least that Temporal needs on this machine. */
interface Floor {
  readonly wallByIdeal: number;
  readonly aloneMs: number;
}

async function measureFloor(
  { questions, turns, inFlight, latencyMs }: EngineLoad,
  bare: BareLoop,
  idealMs: number,
  log: Log,
): Promise<Floor> {
  log(`the bare Temporal loop, ${latencyMs} ms a call, and one question alone`);
  const wallMs = await bare.ask({ questions, turns, inFlight, latencyMs });
  const alone = { questions: 3, turns: 20, inFlight: 1 };
  return { wallByIdeal: wallMs / idealMs, aloneMs: (await bare.ask(alone)) / 60 };
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
  { questions, turns }: EngineLoad,
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

/** The time from one model call of a question to its next, with no other question in flight. */
async function oneAlone(store: ExampleStore, log: Log) {
  const turns = 20;
  log(`3 questions × ${turns} turns, one after the other, 0 ms a call`);
  const { manifest } = await withModel({}, turns, (baseUrl) =>
    askQuestions(store, { name: 'alone', questions: 3, inFlight: 1, baseUrl }),
  );
  const { run } = manifest;
  const runFiles = openRunFiles(store.home);
  const gaps: number[] = [];
  for (const { uuid } of await runFiles.items(run)) {
    for (let turn = 1; turn < turns; turn += 1) {
      const key = { uuid, epoch: 1 };
      const [one, next] = await Promise.all([
        runFiles.reply(run, key, turn),
        runFiles.reply(run, key, turn + 1),
      ]);
      if (one && next) gaps.push(Date.parse(next.startedAt) - Date.parse(one.startedAt));
    }
  }
  const name = 'milliseconds a turn, one question alone, calls of 0 ms';
  return {
    gapsMs: gaps,
    ratio: { name, value: percentile(gaps, 50), limit: 25, bound: 'at most' } as const,
  };
}

/** Bytes of history for long and short questions, and for small and large windows of the conversation. */
async function historyPerTurn(store: ExampleStore, log: Log) {
  const shapes = [
    { turns: 10, windowSize: 5 },
    { turns: 10, windowSize: 20 },
    { turns: 20, windowSize: 5 },
    { turns: 2, windowSize: 5 },
  ] as const;
  const ratios: Ratio[] = [];
  for (const { turns, windowSize } of shapes) {
    log(`bytes of history, ${turns} turns, window of ${windowSize}`);
    const config: Partial<RunConfig> = { windowSize };
    const name = `history-${turns}-${windowSize}`;
    const questions = 10;
    const { manifest }: FinishedQuestionRun = await withModel({}, turns, (baseUrl) =>
      askQuestions(store, { name, questions, inFlight: 10, baseUrl, config }),
    );
    const sizes = await questionHistoryBytes(store.session.client, manifest.run, questions);
    const bytes = sizes.reduce((a, b) => a + b, 0) / questions / turns;
    ratios.push({
      name: `bytes of history a turn, ${turns} turns, window of ${windowSize}`,
      value: Math.round(bytes),
      limit: 2500,
      bound: 'at most',
    });
  }
  return { ratios };
}

const floorTable = ({ wallByIdeal, aloneMs }: Floor): string =>
  markdownTable(
    ['the bare Temporal loop', 'measured'],
    [
      ['wall / ideal, every call takes equally long', wallByIdeal.toFixed(2)],
      ['milliseconds a turn, one question alone, calls of 0 ms', aloneMs.toFixed(1)],
    ],
  );

function throughputTable(rounds: readonly Round[]): string {
  const row = (name: string, all: readonly Throughput[]): readonly string[] => {
    const median = (pick: (one: Throughput) => number): string =>
      percentile(all.map(pick), 50).toFixed(1);
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
    [
      row(
        'empty activities of the same kinds',
        rounds.map(({ bare }) => bare),
      ),
      row(
        'turnwise',
        rounds.map(({ ours }) => ours),
      ),
    ],
  );
}
