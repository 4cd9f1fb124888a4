import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import { createAskModel } from '../../activities/ask-model.js';
import { createCloseRun } from '../../activities/close-run.js';
import { createCollectResults } from '../../activities/collect-results.js';
import { createCountSpent } from '../../activities/count-spent.js';
import { createEndUnstarted } from '../../activities/end-unstarted.js';
import { createFindEnded } from '../../activities/find-ended.js';
import { createFindSamples } from '../../activities/find-samples.js';
import { createFinishQuestion } from '../../activities/finish-question.js';
import { createKeepTuning } from '../../activities/keep-tuning.js';
import { createListSamples } from '../../activities/list-samples.js';
import { createLookUpEnds } from '../../activities/look-up-ends.js';
import { createOpenRun } from '../../activities/open-run.js';
import { createReopenQuestions } from '../../activities/reopen-questions.js';
import { startRun, type RunHandle } from '../../client/start-run.js';
import { questionWorkflowId, runIdSchema } from '../../domain/ids.js';
import { resultSchema } from '../../domain/questions/result.js';
import { replyFile, resultsFile } from '../../domain/runs/run-layout.js';
import { createFolderRunFiles } from '../../worker/adapters/folder-run-files.js';
import { createLeasedSpending } from '../../worker/adapters/leased-spending.js';
import { createTemporalQuestions } from '../../worker/adapters/temporal-questions.js';
import { progressQuery } from '../../workflows/messages.js';
import { eventually } from '../support/command-line.js';
import { sampleKey } from '../support/example-records.js';
import { linesOf } from '../support/lines-of.js';
import { refusingRunFiles } from '../support/refusing-run-files.js';
import { runInFolder } from '../support/run-in-folder.js';
import { SteeredModel } from '../support/steered-model.js';
import { bundleWorkflows, startTemporal } from '../support/temporal.js';

const model = new SteeredModel();
const home = mkdtempSync(join(tmpdir(), 'turnwise-runs-'));
const runFiles = refusingRunFiles(createFolderRunFiles(home));
const taskQueue = 'runs';
let temporal: TestWorkflowEnvironment;

beforeAll(async () => {
  // A server that asks for a new history early, so that a run of a few questions goes through several.
  temporal = await startTemporal('limit.historyCount.suggestContinueAsNew=100');
  const ports = {
    model,
    spending: createLeasedSpending(temporal.client),
    runFiles,
    // One more try within an attempt.
    patienceMs: 0,
    clock: { now: () => new Date().toISOString() },
    questions: createTemporalQuestions(temporal.client),
  };
  const worker = await Worker.create({
    connection: temporal.nativeConnection,
    taskQueue,
    workflowBundle: await bundleWorkflows(),
    activities: {
      openRun: createOpenRun(ports),
      listSamples: createListSamples(ports),
      findSamples: createFindSamples(ports),
      collectResults: createCollectResults(ports),
      findEnded: createFindEnded(ports),
      endUnstarted: createEndUnstarted(ports),
      lookUpEnds: createLookUpEnds(ports),
      keepTuning: createKeepTuning(ports),
      reopenQuestions: createReopenQuestions(ports),
      countSpent: createCountSpent(ports),
      closeRun: createCloseRun(ports),
      askModel: createAskModel(ports),
      finishQuestion: createFinishQuestion(ports),
    },
  });
  const working = worker.run();
  return async () => {
    model.releaseAll();
    worker.shutdown();
    await working;
    await temporal.teardown();
  };
}, 120_000);

interface TestRun {
  readonly folder: string;
  readonly start: () => Promise<RunHandle>;
  readonly question: (name: string) => WorkflowHandle;
  readonly untilAsked: (name: string) => Promise<void>;
  readonly release: (name: string) => void;
  /** Of this run's questions, in the order in which the model was asked. */
  readonly asked: () => readonly string[];
  /** As published, in order. */
  readonly outcomes: () => readonly string[];
}

/** A run of questions by their names. Of those that are held the model's answer waits until they are released. */
function runOf(
  names: readonly string[],
  concurrency: number,
  held: readonly string[] = [],
): TestRun {
  const id = runIdSchema.parse(randomUUID());
  const text = (name: string): string => `${id} ${name}`;
  model.hold(...held.map(text));
  const { folder, manifest } = runInFolder(
    names.map((name) => ({ uuid: name, question: text(name) })),
    (example) => ({ ...example, run: id, config: { ...example.config, concurrency } }),
    home,
  );
  return {
    folder,
    start: () => startRun(temporal.client, manifest, taskQueue),
    question: (name) => temporal.client.workflow.getHandle(questionWorkflowId(id, sampleKey(name))),
    untilAsked: (name) => model.untilAsked(text(name)),
    release: (name) => model.release(text(name)),
    asked: () => model.asked.flatMap((question) => names.filter((name) => question === text(name))),
    outcomes: () =>
      linesOf(folder, resultsFile)
        .map((line) => resultSchema.parse(line))
        .map(({ uuid, outcome }) => `${uuid} ${outcome.kind}`),
  };
}

const abc = ['a', 'b', 'c'] as const;

describe('a run', { timeout: 60_000 }, () => {
  it('goes through as many histories as it needs, and asks every question once', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `q${index + 1}`);
    const { start, asked, outcomes } = runOf(names, 3);
    const handle = await start();
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 20 }, turns: 20 });
    expect(asked().toSorted()).toEqual(names.toSorted());
    expect(outcomes().toSorted()).toEqual(names.map((name) => `${name} answered`).toSorted());
    const [started] = (await handle.fetchHistory()).events ?? [];
    expect(started?.workflowExecutionStartedEventAttributes).toMatchObject({
      continuedExecutionRunId: expect.stringMatching(/./) as unknown,
    });
  });

  it('never has more questions open than its window holds', async () => {
    const { start } = runOf(['a', 'b', 'c', 'd'], 2);
    const handle = await start();
    await handle.result();
    const { events } = await handle.fetchHistory();
    let open = 0;
    const opened = (events ?? []).map((event) => {
      if (event.startChildWorkflowExecutionInitiatedEventAttributes) open += 1;
      if (event.workflowExecutionSignaledEventAttributes) open -= 1;
      return open;
    });
    expect(Math.max(...opened)).toBe(2);
  });

  it('is one, however often it is started at once', async () => {
    const { start, asked, outcomes } = runOf(abc, 2);
    const handles = await Promise.all([start(), start(), start()]);
    const described = await Promise.all(handles.map((handle) => handle.describe()));
    expect(new Set(described.map(({ runId }) => runId)).size).toBe(1);
    await Promise.all(handles.map((handle) => handle.result()));
    expect(asked().toSorted()).toEqual(abc);
    expect(outcomes()).toHaveLength(3);
  });

  it('that has finished asks nothing when it is started again', async () => {
    const { start, asked, outcomes, question } = runOf(abc, 2);
    const totals = await (await start()).result();
    const { runId } = await question('a').describe();
    expect(await (await start()).result()).toEqual(totals);
    expect(asked()).toHaveLength(3);
    expect(outcomes()).toHaveLength(3);
    expect((await question('a').describe()).runId).toBe(runId);
  });

  it('ends a question that somebody terminated as an outside failure, and goes on', async () => {
    const { start, untilAsked, question, outcomes } = runOf(abc, 1, ['b']);
    const handle = await start();
    await untilAsked('b');
    await question('b').terminate('by hand');
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 2, 'infra-error': 1 } });
    expect(outcomes()).toEqual(['a answered', 'b infra-error', 'c answered']);
  });

  it('is not stalled by a question whose turns are damaged', async () => {
    const { start, untilAsked, release, folder, outcomes } = runOf(abc, 1, ['b']);
    const handle = await start();
    await untilAsked('b');
    const reply = join(folder, replyFile(sampleKey('b'), 1));
    mkdirSync(dirname(reply), { recursive: true });
    writeFileSync(reply, '{');
    release('b');
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 2, 'infra-error': 1 } });
    expect(outcomes()).toEqual(['a answered', 'b infra-error', 'c answered']);
  });

  it('pays once for a reply that two attempts could not store', async () => {
    const { start, asked } = runOf(['a'], 1);
    runFiles.refuse(4);
    expect(await (await start()).result()).toMatchObject({ outcomes: { answered: 1 } });
    expect(runFiles.refused()).toBe(4);
    expect(asked()).toEqual(['a']);
  });

  it('goes on when somebody cancels one question', async () => {
    const { start, untilAsked, question, outcomes } = runOf(abc, 1, ['b']);
    const handle = await start();
    await untilAsked('b');
    await question('b').cancel();
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 2, cancelled: 1 } });
    expect(outcomes()).toEqual(['a answered', 'b cancelled', 'c answered']);
  });

  it('that is cancelled cancels what is in flight, keeps its results, and can be continued', async () => {
    const { start, untilAsked, asked, outcomes } = runOf([...abc, 'd'], 2, ['b', 'c']);
    const handle = await start();
    await Promise.all([untilAsked('b'), untilAsked('c')]);
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({
      cause: expect.any(CancelledFailure) as unknown,
    });
    expect(outcomes().toSorted()).toEqual(['a answered', 'b cancelled', 'c cancelled']);
    const totals = await (await start()).result();
    expect(totals).toMatchObject({ outcomes: { answered: 2, cancelled: 2 } });
    expect(asked().toSorted()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('collects what ended while it was gone', async () => {
    const { start, untilAsked, release, question, asked, outcomes } = runOf(abc, 1, ['b']);
    const handle = await start();
    await untilAsked('b');
    await handle.terminate('by hand');
    release('b');
    expect(await question('b').result()).toMatchObject({ outcome: 'answered' });
    expect(outcomes()).toEqual(['a answered']);
    expect(await (await start()).result()).toMatchObject({ outcomes: { answered: 3 } });
    expect(outcomes()).toEqual(['a answered', 'b answered', 'c answered']);
    expect(asked()).toEqual(abc);
  });

  it('takes up the questions of the one before it that are open still', async () => {
    const { start, untilAsked, release, asked, outcomes } = runOf(abc, 1, ['b']);
    const before = await start();
    await untilAsked('b');
    await before.terminate('by hand');
    const handle = await start();
    await eventually(async () => (await handle.query(progressQuery)).inFlight[0]);
    release('b');
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 3 } });
    expect(outcomes()).toEqual(['a answered', 'b answered', 'c answered']);
    expect(asked()).toEqual(abc);
  });
});
