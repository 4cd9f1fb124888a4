import type { RunConfig } from '../domain/runs/run-config.js';
import { percentile } from '../domain/statistics/latencies.js';
import { startSimulatedModel } from '../simulator/simulated-model.js';
import type { SimulatorSettings } from '../simulator/simulator-options.js';
import { createFolderRunFiles } from '../storage/run-files.js';
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
import { withExampleStore, type ExampleStore } from './example-store.js';
import { historyBytes } from './question-histories.js';
import { askQuestions, type FinishedQuestionRun } from './question-run.js';
import { serviceCpuMs } from './service-cpu.js';

export const engineBenchmark: Benchmark = {
  summary:
    'runs of 200 questions × 10 turns beside the ideal, a loop around `openai` and a bare Temporal loop; takes ten minutes',
  run: (tell) => withExampleStore(tell, (store) => measureEngine(store, usualLoad, tell)),
};

export interface EngineLoad {
  readonly questions: number;
  readonly turns: number;
  readonly inFlight: number;
  /** Of a call of the model, where it takes any time. */
  readonly latencyMs: number;
  /** Of those that are bound by the machine; the bare loop takes turns with ours. */
  readonly rounds: number;
}

const usualLoad: EngineLoad = {
  questions: 200,
  turns: 10,
  inFlight: 100,
  latencyMs: 2000,
  rounds: 3,
};

type Tell = (step: string) => void;

export async function measureEngine(
  store: ExampleStore,
  load: EngineLoad,
  tell: Tell,
): Promise<Findings> {
  const fixed = await fixedLatency(store, load, tell);
  const jittered = await jitteredLatency(store, load, tell);
  const { client, services } = store.session;
  const { quick, floor } = await withBareLoop(client, services.temporalAddress, async (bare) => ({
    quick: await noLatency(store, load, bare, tell),
    floor: await withoutUs(load, bare, fixed.idealMs, tell),
  }));
  const alone = await oneAlone(store, tell);
  const history = await historyATurn(store, tell);
  const ratios = [fixed.ratio, jittered.ratio, quick.ratio, alone.ratio, ...history.ratios];
  return {
    tables: [ratioTable(ratios), quick.table, floorTable(floor)],
    figures: { load, ratios, fixed, jittered, quick: quick.figures, floor, alone, history },
    problems: problemsOf(ratios),
  };
}

/** All calls take the same time: questions march in step, and each burst waits for itself. */
async function fixedLatency(store: ExampleStore, load: EngineLoad, tell: Tell) {
  const { questions, turns, inFlight, latencyMs } = load;
  tell(`${questions} questions × ${turns} turns, ${latencyMs} ms a call`);
  const { wallMs } = await withModel({ latencyMs }, turns, (baseUrl) =>
    askQuestions(store, { name: 'fixed', questions, inFlight, baseUrl }),
  );
  const idealMs = Math.ceil(questions / inFlight) * turns * latencyMs;
  const name = 'wall / ideal, every call as long';
  return {
    wallMs,
    idealMs,
    ratio: { name, value: wallMs / idealMs, limit: 1.1, isToBe: 'at most' } as const,
  };
}

/** Against a loop that makes the very same calls, which take the very same times. */
async function jitteredLatency(store: ExampleStore, load: EngineLoad, tell: Tell) {
  const { questions, turns, inFlight, latencyMs } = load;
  tell(`the same, ± 50 %, and a loop around openai with the same requests`);
  const settings = { latencyMs, jitter: 0.5, seed: 7 };
  const { wallMs, manifest } = await withModel(settings, turns, (baseUrl) =>
    askQuestions(store, { name: 'jittered', questions, inFlight, baseUrl }),
  );
  const requests = await requestsOf(store.home, manifest);
  const bareMs = await withModel(settings, turns, (url) => askBare(url, requests, inFlight));
  const name = 'wall / `openai` and a semaphore, ± 50 %';
  return {
    wallMs,
    bareMs,
    ratio: { name, value: wallMs / bareMs, limit: 1.05, isToBe: 'at most' } as const,
  };
}

/** What the machine can do: in turns with a loop of two empty activities a turn on the same server. */
async function noLatency(store: ExampleStore, load: EngineLoad, bare: BareLoop, tell: Tell) {
  const { questions, turns, inFlight, rounds } = load;
  const perRound: { readonly ours: Busy; readonly bare: Busy }[] = [];
  await withModel({}, turns, async (baseUrl) => {
    for (let round = 1; round <= rounds; round += 1) {
      tell(`0 ms a call, round ${round} of ${rounds}`);
      const bareRound = await busy(store, load, bare, () =>
        bare.ask({ questions, turns, inFlight }),
      );
      const ours = await busy(store, load, bare, async () => {
        const name = `quick-${round}`;
        return (await askQuestions(store, { name, questions, inFlight, baseUrl })).wallMs;
      });
      perRound.push({ ours, bare: bareRound });
    }
  });
  const rates = perRound.map((round) => round.ours.turnsPerSecond / round.bare.turnsPerSecond);
  const name = 'turns a second / bare Temporal loop, 0 ms';
  return {
    figures: perRound,
    ratio: { name, value: percentile(rates, 50), limit: 1, isToBe: 'at least' } as const,
    table: busyTable(perRound),
  };
}

/** What the bare Temporal loop makes of the loads that are compared with something else: less is not to be had here. */
interface Floor {
  readonly wallByIdeal: number;
  readonly aloneMs: number;
}

async function withoutUs(
  { questions, turns, inFlight, latencyMs }: EngineLoad,
  bare: BareLoop,
  idealMs: number,
  tell: Tell,
): Promise<Floor> {
  tell(`the bare Temporal loop, ${latencyMs} ms a call, and one question alone`);
  const wallMs = await bare.ask({ questions, turns, inFlight, latencyMs });
  const alone = { questions: 3, turns: 20, inFlight: 1 };
  return { wallByIdeal: wallMs / idealMs, aloneMs: (await bare.ask(alone)) / 60 };
}

interface Busy {
  readonly turnsPerSecond: number;
  /** Milliseconds of CPU a turn: which work there is, also where others share the machine. */
  readonly cpuMs: Readonly<Record<'server' | 'worker' | 'milvus' | 'endpoint', number>>;
}

async function busy(
  { home }: ExampleStore,
  { questions, turns }: EngineLoad,
  bare: BareLoop,
  work: () => Promise<number>,
): Promise<Busy> {
  const before = { ...serviceCpuMs(home), bare: bare.cpuMs(), own: process.cpuUsage() };
  const wallMs = await work();
  const after = serviceCpuMs(home);
  const own = process.cpuUsage(before.own);
  const all = questions * turns;
  return {
    turnsPerSecond: (1000 * all) / wallMs,
    cpuMs: {
      server: (after.temporal - before.temporal) / all,
      // Only one of the two works.
      worker: (after.worker - before.worker + bare.cpuMs() - before.bare) / all,
      milvus: (after.milvus - before.milvus) / all,
      endpoint: (own.user + own.system) / 1000 / all,
    },
  };
}

/** From one model call of a question to its next, with nothing else under way. */
async function oneAlone(store: ExampleStore, tell: Tell) {
  const turns = 20;
  tell(`3 questions × ${turns} turns, one after the other, 0 ms a call`);
  const { manifest } = await withModel({}, turns, (baseUrl) =>
    askQuestions(store, { name: 'alone', questions: 3, inFlight: 1, baseUrl }),
  );
  const { run } = manifest;
  const runFiles = createFolderRunFiles(store.home);
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
  const name = 'milliseconds a turn, one question alone, median, 0 ms';
  return {
    gapsMs: gaps,
    ratio: { name, value: percentile(gaps, 50), limit: 25, isToBe: 'at most' } as const,
  };
}

/** For long and short questions, and for windows that send little and much of a conversation. */
async function historyATurn(store: ExampleStore, tell: Tell) {
  const shapes = [
    { turns: 10, windowSize: 5 },
    { turns: 10, windowSize: 20 },
    { turns: 20, windowSize: 5 },
    { turns: 2, windowSize: 5 },
  ] as const;
  const ratios: Ratio[] = [];
  for (const { turns, windowSize } of shapes) {
    tell(`bytes of history, ${turns} turns, window of ${windowSize}`);
    const config: Partial<RunConfig> = { windowSize };
    const name = `history-${turns}-${windowSize}`;
    const questions = 10;
    const { manifest }: FinishedQuestionRun = await withModel({}, turns, (baseUrl) =>
      askQuestions(store, { name, questions, inFlight: 10, baseUrl, config }),
    );
    const sizes = await historyBytes(store.session.client, manifest.run, questions);
    const bytes = sizes.reduce((a, b) => a + b, 0) / questions / turns;
    ratios.push({
      name: `bytes of history a turn, ${turns} turns, window of ${windowSize}`,
      value: Math.round(bytes),
      limit: 2500,
      isToBe: 'at most',
    });
  }
  return { ratios };
}

async function withModel<T>(
  settings: SimulatorSettings,
  turns: number,
  work: (baseUrl: string) => Promise<T>,
): Promise<T> {
  const script = { questions: [], prompts: [], generated: { turns } };
  const model = await startSimulatedModel({ ...settings, script });
  try {
    return await work(model.url);
  } finally {
    await model.close();
  }
}

const floorTable = ({ wallByIdeal, aloneMs }: Floor): string =>
  markdownTable(
    ['the bare Temporal loop', 'measured'],
    [
      ['wall / ideal, every call as long', wallByIdeal.toFixed(2)],
      ['milliseconds a turn, one question alone', aloneMs.toFixed(1)],
    ],
  );

function busyTable(rounds: readonly { readonly ours: Busy; readonly bare: Busy }[]): string {
  const row = (name: string, of: readonly Busy[]): readonly string[] => {
    const median = (pick: (one: Busy) => number): string => percentile(of.map(pick), 50).toFixed(1);
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
    ['0 ms a call', 'turns/s', 'server, ms CPU a turn', 'worker', 'Milvus', 'endpoint'],
    [
      row(
        'two empty activities a turn',
        rounds.map(({ bare }) => bare),
      ),
      row(
        'turnwise',
        rounds.map(({ ours }) => ours),
      ),
    ],
  );
}
