import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { RunFilesPort } from '../activities/ports/run-files.js';
import { createListSamples } from '../activities/runs/list-samples.js';
import { createOpenRun } from '../activities/runs/open-run.js';
import { RunFolder } from '../client/runs/run-folder.js';
import { takeSnapshot } from '../client/runs/status/run-snapshot.js';
import { statusResult } from '../client/views/progress/status-text.js';
import { resultText } from '../client/views/print-sections.js';
import { storeNameSchema } from '../domain/ids.js';
import { endedQuestion, type EndRecord } from '../domain/runs/question-end.js';
import { datasetFile, runFolder } from '../domain/runs/run-layout.js';
import type { RunManifest } from '../domain/runs/run-manifest.js';
import { runProgress } from '../domain/runs/run-progress.js';
import { emptyRun } from '../domain/runs/run-state.js';
import { addEnded, noTotals } from '../domain/runs/run-totals.js';
import type { StoreManifest } from '../domain/stores/store-manifest.js';
import { createFolderStorage } from '../storage/folder-storage.js';
import { createRunFiles } from '../storage/runs/run-files.js';
import {
  atMost,
  markdownTable,
  ratioFindings,
  type Benchmark,
  type Findings,
  type Log,
} from './benchmark.js';
import { withFolder } from './folders.js';
import { datasetOf, endOf, prepareQuestions } from './question-run.js';

export const runFilesBenchmark: Benchmark = {
  summary:
    'the files of a run of 100,000 ended questions: what a page of them, a new worker and `status` take; takes a minute',
  run: (log, { questions = 100_000 }) =>
    withFolder((home) => measureRunFiles(home, questions, log)),
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

async function measureRunFiles(home: string, questions: number, log: Log): Promise<Findings> {
  const steps: Step[] = [];
  const measure = async (name: string, work: () => Promise<unknown>): Promise<Step> => {
    const start = performance.now();
    await work();
    const ms = performance.now() - start;
    log(`${name}: ${ms.toFixed(0)} ms`);
    const step = { name, ms, peakMib: process.resourceUsage().maxRSS / 1024 };
    steps.push(step);
    return step;
  };
  const filesOfANewWorker = (): RunFilesPort => createRunFiles(createFolderStorage(home));
  const manifest = await writeDataset(home, questions);
  const { run } = manifest;
  const measured = pageSize * measuredPages;
  const publishing = filesOfANewWorker();
  const publishedPages = async (from: number, to: number): Promise<void> => {
    for (let first = from; first < to; first += pageSize) {
      await publishing.publish(run, endsFrom(first, pageSize));
    }
  };
  const published = await measure('publish, first pages', () => publishedPages(0, measured));
  await publishedPages(measured, questions - measured);
  const publishedLast = await measure('publish, last pages', () =>
    publishedPages(questions - measured, questions),
  );
  await measure('publish a page by a new worker', () =>
    filesOfANewWorker().publish(run, endsFrom(questions - pageSize, pageSize)),
  );

  const listing = createListSamples({ runFiles: filesOfANewWorker() });
  const listedPages = async (from: number, to = from + measured): Promise<void> => {
    for (let start = from; start < to; start += pageSize) {
      await asActivity(listing, { run, range: { start, end: questions }, limit: pageSize });
    }
  };
  await measure('list a page by a new worker', () => listedPages(0, pageSize));
  const listed = await measure('list, first pages', () => listedPages(0));
  const listedLast = await measure('list, last pages', () => listedPages(questions - measured));
  await measure('open a new run', () =>
    asActivity(createOpenRun({ runFiles: filesOfANewWorker() }), { run }),
  );
  const status = await measure('`status` of a run under way', () => statusOf(home, manifest, true));
  await measure('`status` without a worker', () => statusOf(home, manifest, false));
  const again = endsFrom(0, Math.min(questions, 10_000)).map(({ result }) => result);
  const { peakMib } = await measure('ask 10,000 questions again', () =>
    filesOfANewWorker().reopen(run, again, false),
  );
  const ratios = [
    atMost('publishing the last pages / the first ones', publishedLast.ms / published.ms, 2),
    atMost('listing the last pages / the first ones', listedLast.ms / listed.ms, 2),
    atMost('`status` of a run under way, in seconds', status.ms / 1000, 1),
    atMost('memory of the process, in MiB', peakMib, 600),
  ];
  const rows = steps.map((step) => [step.name, step.ms.toFixed(0), step.peakMib.toFixed(0)]);
  const table = markdownTable(['', 'ms', 'memory at most, MiB'], rows);
  return ratioFindings(ratios, { questions, steps }, table);
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
    { name: 'large', dataset: datasetOf(1), inFlight: 100, baseUrl: 'http://127.0.0.1:1/v1' },
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

async function statusOf(home: string, manifest: RunManifest, isOpen: boolean): Promise<string> {
  const { run } = manifest;
  const totals = endsFrom(0, 100).map(endedQuestion).reduce(addEnded, noTotals);
  const state = { ...emptyRun, samples: manifest.dataset.items, totals };
  const live = { kind: 'open' as const, progress: runProgress(state, 100), slow: [] };
  const answer = { live, histories: [], accounts: [] };
  const ask = isOpen ? () => Promise.resolve(answer) : null;
  // Of a new process.
  const folder = new RunFolder(home, run, home, createRunFiles(createFolderStorage(home)));
  const snapshot = await takeSnapshot({ run, folder, ask: Promise.resolve(ask) });
  return resultText('text', statusResult(snapshot));
}
