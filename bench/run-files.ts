import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createListSamples } from '../activities/runs/list-samples.js';
import { createOpenRun } from '../activities/runs/open-run.js';
import { RunFolder } from '../client/runs/run-folder.js';
import { takeSnapshot } from '../client/runs/status/run-snapshot.js';
import { statusText } from '../client/views/progress/status-text.js';
import { toolStatsOf } from '../domain/agent/question-result.js';
import { latenciesOf } from '../domain/statistics/latencies.js';
import { questionIdSchema, storeNameSchema, type RunId } from '../domain/ids.js';
import { noUsage } from '../domain/models/usage.js';
import type { EndRecord } from '../domain/runs/question-end.js';
import { datasetFile, runFolder } from '../domain/runs/run-layout.js';
import type { RunManifest } from '../domain/runs/run-manifest.js';
import { runProgress } from '../domain/runs/run-progress.js';
import { emptyRun } from '../domain/runs/run-state.js';
import { addEnded, noTotals } from '../domain/runs/run-totals.js';
import { endedQuestion } from '../domain/runs/question-end.js';
import type { StoreManifest } from '../domain/stores/store-manifest.js';
import { createFolderStorage } from '../storage/folder-storage.js';
import { createRunFiles } from '../storage/runs/run-files.js';
import type { RunFilesPort } from '../activities/ports/run-files.js';
import {
  markdownTable,
  problemsOf,
  ratioTable,
  type Benchmark,
  type Findings,
  type Ratio,
} from './benchmark.js';
import { datasetOf, prepareQuestions } from './question-run.js';

export const runFilesBenchmark: Benchmark = {
  summary:
    'the files of a run of 100,000 ended questions: what a page of them, a new worker and `status` take; takes a minute',
  run: (log, { questions = 100_000 }) => measureRunFiles(questions, log),
};

/** As the workflow of a run lists and publishes them. */
const pageSize = 100;
/** Pages that are measured at the beginning, and at the end. */
const measuredPages = 50;

interface Step {
  readonly name: string;
  readonly ms: number;
  /** The most memory that the process has had until then, in MiB. */
  readonly peakMib: number;
}

async function measureRunFiles(questions: number, log: (step: string) => void): Promise<Findings> {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-run-files-'));
  const steps: Step[] = [];
  const measure = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    const result = await work();
    const ms = performance.now() - start;
    steps.push({ name, ms, peakMib: process.resourceUsage().maxRSS / 1024 });
    log(`${name}: ${ms.toFixed(0)} ms`);
    return result;
  };
  const filesOfANewWorker = (): RunFilesPort => createRunFiles(createFolderStorage(home));
  try {
    const manifest = await writeDataset(home, questions);
    const { run } = manifest;
    const publishing = filesOfANewWorker();
    const publish = (first: number): Promise<void> =>
      publishing.publish(run, endsFrom(first, pageSize));
    const publishedPages = async (from: number, to: number): Promise<void> => {
      for (let first = from; first < to; first += pageSize) await publish(first);
    };
    const measured = pageSize * measuredPages;
    await measure('publish, first pages', () => publishedPages(0, measured));
    await publishedPages(measured, questions - measured);
    await measure('publish, last pages', () => publishedPages(questions - measured, questions));
    await measure('publish a page by a new worker', () =>
      filesOfANewWorker().publish(run, endsFrom(questions - pageSize, pageSize)),
    );

    const listing = createListSamples({ runFiles: filesOfANewWorker() });
    const listedPages = async (from: number): Promise<void> => {
      for (let start = from; start < from + measured; start += pageSize) {
        await asActivity(listing, { run, range: { start, end: questions }, limit: pageSize });
      }
    };
    await measure('list a page by a new worker', () =>
      asActivity(listing, { run, range: { start: 0, end: questions }, limit: pageSize }),
    );
    await measure('list, first pages', () => listedPages(0));
    await measure('list, last pages', () => listedPages(questions - measured));
    await measure('open a new run', () =>
      asActivity(createOpenRun({ runFiles: filesOfANewWorker() }), { run }),
    );
    await measure('`status` of a run under way', () => statusOf(home, manifest, true));
    await measure('`status` without a worker', () => statusOf(home, manifest, false));
    await measure('ask 10,000 questions again', () =>
      filesOfANewWorker().reopen(
        run,
        endsFrom(0, Math.min(questions, 10_000)).map(({ result }) => result),
        false,
      ),
    );
    return findingsOf(questions, steps);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function findingsOf(questions: number, steps: readonly Step[]): Findings {
  const msOf = (name: string): number => steps.find((step) => step.name === name)?.ms ?? 0;
  const ratios: readonly Ratio[] = [
    {
      name: 'publishing the last pages / the first ones',
      value: msOf('publish, last pages') / msOf('publish, first pages'),
      limit: 2,
      bound: 'at most',
    },
    {
      name: 'listing the last pages / the first ones',
      value: msOf('list, last pages') / msOf('list, first pages'),
      limit: 2,
      bound: 'at most',
    },
    {
      name: '`status` of a run under way, in seconds',
      value: msOf('`status` of a run under way') / 1000,
      limit: 1,
      bound: 'at most',
    },
    {
      name: 'memory of the process, in MiB',
      value: Math.max(...steps.map(({ peakMib }) => peakMib)),
      limit: 600,
      bound: 'at most',
    },
  ];
  return {
    tables: [
      ratioTable(ratios),
      markdownTable(
        ['', 'ms', 'memory at most, MiB'],
        steps.map(({ name, ms, peakMib }) => [name, ms.toFixed(0), peakMib.toFixed(0)]),
      ),
    ],
    figures: { questions, ratios, steps },
    problems: problemsOf(ratios),
  };
}

const asActivity = <Input, Output>(
  activity: (input: Input) => Promise<Output>,
  input: Input,
): Promise<Output> => new MockActivityEnvironment().run(activity, input);

/** No question of such a run reads it. */
const emptyStore: StoreManifest = {
  name: storeNameSchema.parse('empty'),
  key: 'empty',
  generation: 1,
  fingerprint: 'empty',
  builtAt: '2026-01-01T00:00:00.000Z',
  papers: [],
  collections: [],
  files: {},
};

/** A run that has begun. Its dataset is written a part at a time. */
async function writeDataset(home: string, questions: number): Promise<RunManifest> {
  const small = await prepareQuestions(
    { home, manifest: emptyStore },
    { name: 'large', questions: 1, inFlight: 100, baseUrl: 'http://127.0.0.1:1/v1' },
  );
  const manifest = { ...small, dataset: { ...small.dataset, items: questions } };
  await createRunFiles(createFolderStorage(home)).saveManifest(manifest);
  const file = await open(join(home, runFolder(manifest.run), datasetFile), 'w');
  const part = 10_000;
  for (let first = 0; first < questions; first += part) {
    await file.write(datasetOf(Math.min(part, questions - first), first + 1));
  }
  await file.close();
  return manifest;
}

/** The ends of questions, from the one with this index. */
const endsFrom = (first: number, count: number): readonly EndRecord[] =>
  Array.from({ length: count }, (_, index) => endOf(first + index));

function endOf(index: number): EndRecord {
  const uuid = questionIdSchema.parse(`q-${index + 1}`);
  const isRight = index % 4 !== 0;
  return {
    result: {
      uuid,
      epoch: 1,
      question: `How large is measurement ${index}?`,
      tags: [],
      answer: `measurement ${index}`,
      outcome: { kind: 'answered' },
      turns: 1,
      usage: { ...noUsage, calls: 1, promptTokens: 1200, completionTokens: 80 },
      costUsd: null,
      model: 'simulated',
      startedAt: '2026-01-01T00:00:00.000Z',
      endedAt: '2026-01-01T00:00:02.000Z',
      times: { durationMs: 2000, modelMs: latenciesOf([1900]), waitedMs: 20 },
      trajectory: `trajectories/${uuid}.jsonl`,
      tools: toolStatsOf([]),
    },
    score: {
      uuid,
      epoch: 1,
      score: isRight ? 1 : 0,
      verdict: { kind: 'scored', score: isRight ? 1 : 0, rationale: 'as the gold answer' },
      scorer: 'eval_string_exact_match',
    },
  };
}

async function statusOf(home: string, manifest: RunManifest, isOpen: boolean): Promise<string> {
  const { run } = manifest;
  const totals = endsFrom(0, 100).map(endedQuestion).reduce(addEnded, noTotals);
  const state = { ...emptyRun, samples: manifest.dataset.items, totals };
  const live = { kind: 'open' as const, progress: runProgress(state, 100), slow: [] };
  const answer = { live, histories: [], accounts: [] };
  const ask = isOpen ? () => Promise.resolve(answer) : null;
  return statusText(
    await takeSnapshot({ run, folder: folderOfANewProcess(home, run), ask: Promise.resolve(ask) }),
  );
}

const folderOfANewProcess = (home: string, run: RunId): RunFolder =>
  new RunFolder(home, run, home, createRunFiles(createFolderStorage(home)));
