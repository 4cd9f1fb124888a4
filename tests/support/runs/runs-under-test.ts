import { randomUUID } from 'node:crypto';
import { noDatabases } from '../fakes/no-databases.js';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import {
  createFindOpenJudges,
  createJudgeAnswer,
} from '../../../activities/judging/judge-answer.js';
import type { AccountsPort } from '../../../activities/ports/accounts.js';
import type { BatchFilesPort } from '../../../activities/ports/run-files.js';
import type { ModelPort } from '../../../activities/ports/model.js';
import type { WebhookPort } from '../../../activities/ports/webhook.js';
import type { SqlOutcome, TablesPort } from '../../../activities/ports/tools.js';
import { openStorage } from '../../../storage/open-storage.js';
import { createBatchFiles } from '../../../worker/adapters/files/job-files.js';
import { createBatches } from '../../../worker/adapters/model-apis/batches.js';
import type { EndpointKeys } from '../../../worker/adapters/model-apis/endpoint.js';
import { FakeAccounts } from '../fakes/fake-accounts.js';
import { createAskModel } from '../../../activities/questions/ask-model.js';
import { createEndQuestion } from '../../../activities/questions/end-question.js';
import { createExecuteAnswer } from '../../../activities/questions/execute-answer.js';
import { createTakeAction } from '../../../activities/questions/take-action.js';
import { createAdvanceBatch, createCollectCalls } from '../../../activities/runs/batches.js';
import {
  createCloseRun,
  createCollectResults,
  createEndUnstarted,
} from '../../../activities/runs/close-run.js';
import { createFindEnded, createRestartQuestion } from '../../../activities/runs/find-ended.js';
import { createListSamples } from '../../../activities/runs/list-samples.js';
import {
  createCountSpent,
  createKeepBills,
  createOpenRun,
} from '../../../activities/runs/open-run.js';
import { createStartQuestions } from '../../../activities/runs/start-questions.js';
import { createKeepTuning, createReopenQuestions } from '../../../activities/runs/steer-run.js';
import { createTellWebhook } from '../../../activities/runs/tell-webhook.js';
import { createLookUpEnds } from '../../../activities/runs/stored-ends.js';
import { retryInRun, startRun, type RunHandle } from '../../../client/runs/start-run.js';
import { resultSchema } from '../../../domain/agent/question-result.js';
import { questionWorkflowId, runIdSchema, runWorkflowId } from '../../../domain/ids.js';
import type { RunConfig } from '../../../domain/runs/run-config.js';
import {
  manifestFile,
  resultsFile,
  runManifestSchema,
  type RunManifest,
} from '../../../domain/runs/run-manifest.js';
import type { RunSummary } from '../../../domain/runs/run-progress.js';
import { openRunFiles } from '../../../storage/runs/run-files.js';
import { createTemporalQuestions } from '../../../worker/adapters/temporal.js';
import { leasedBudgets } from '../../../worker/model-calls/budget-lease.js';
import { createModelCalls } from '../../../worker/model-calls/chain.js';
import { countSentCalls } from '../../../worker/model-calls/sent-calls.js';
import { reserving, type Budgets } from '../../../worker/model-calls/reserve.js';
import type { Retrying } from '../../../workflows/messages.js';
import { fakeTools } from '../fakes/fake-tools.js';
import { refusingRunFiles, type RefusingRunFiles } from '../fakes/refusing-run-files.js';
import { judging, SteeredModel } from '../fakes/steered-model.js';
import { keysForAll } from '../model-calls/keys-for-all.js';
import { linesOf } from '../lines-of.js';
import { bundleWorkflows, startTemporal } from '../temporal.js';
import { sampleKey } from './example-records.js';
import { runInFolder } from './run-in-folder.js';
import type { HomeClient } from '../../../client/services/home-client.js';
import { atHome, testHome } from '../test-home.js';

export interface TestRun {
  readonly folder: string;
  readonly handle: RunHandle;
  readonly start: () => Promise<RunHandle>;
  readonly retry: (retrying: Retrying) => Promise<RunSummary>;
  readonly question: (name: string) => WorkflowHandle;
  readonly untilAsked: (name: string, times?: number) => Promise<void>;
  readonly hold: (...names: readonly string[]) => void;
  /** Holds the model's replies to a question from the so-manieth call on. */
  readonly holdFrom: (call: number, name: string) => void;
  readonly release: (...names: readonly string[]) => void;
  /** The model's next reply to each of them cannot be read. */
  readonly stumble: (...names: readonly string[]) => void;
  /** The model's next reply to each of them asks for a statement to be run. */
  readonly query: (...names: readonly string[]) => void;
  /** The next calls of the model for a question fail so. */
  readonly fail: (name: string, ...failures: readonly Error[]) => void;
  /** The next calls of a judge about a question's answer fail so. */
  readonly failJudge: (name: string, judge: string, ...failures: readonly Error[]) => void;
  readonly holdJudge: (name: string, judge: string) => void;
  readonly releaseJudge: (name: string, judge: string) => void;
  readonly untilJudged: (name: string, judge: string) => Promise<void>;
  /** Of this run's questions, in the order in which the model was asked. */
  readonly asked: () => readonly string[];
  /** As published, in order. */
  readonly outcomes: () => readonly string[];
  readonly manifest: () => RunManifest;
}

export interface AroundSearch {
  readonly before: () => Promise<void>;
  readonly after: () => Promise<void>;
}

export interface RunsUnderTest {
  readonly temporal: TestWorkflowEnvironment;
  /** Of the home of the runs. */
  readonly client: HomeClient;
  readonly runFiles: RefusingRunFiles;
  /**
   * A run of questions by their names. Of those that are held the model's answer waits until they are released.
   * @param itemOf - what a question's line of the dataset holds beside
   */
  readonly runOf: (
    names: readonly string[],
    concurrency: number,
    held?: readonly string[],
    config?: Partial<RunConfig>,
    itemOf?: (name: string) => object,
  ) => TestRun;
  /** Does something around the next search of a run for ends of questions: before it, and before the run learns of it. */
  readonly aroundNextSearch: (around: AroundSearch) => void;
  /** What the coming statements fail of, one after the other; all others have one row. */
  readonly failQueries: (...failures: readonly Error[]) => void;
  /** Sets the clock of the worker's machine forward, or back. */
  readonly jump: (ms: number) => void;
  readonly stop: () => Promise<void>;
}

/** Run workflows on a server of their own, with a model that does as it is told. */
export const startRunsUnderTest = (...dynamicConfig: readonly string[]): Promise<RunsUnderTest> =>
  startRuns(dynamicConfig, ({ budgets, steered }) => reserving(budgets)(steered));

/** The same with a webhook. */
export const startRunsWithWebhook = (webhook: WebhookPort): Promise<RunsUnderTest> =>
  startRuns([], ({ budgets, steered }) => reserving(budgets)(steered), undefined, webhook);

/** The same with the calls of a worker: their limits, guards and requests. */
export const startRunsWithEndpoints = (keys: EndpointKeys): Promise<RunsUnderTest> =>
  startRuns(
    [],
    ({ home, ...parts }) =>
      createModelCalls({
        ...{ ...parts, keys, worker: 'a' },
        cacheFolder: join(home, 'cache'),
        sentCalls: countSentCalls(new AbortController().signal),
        measured: (next) => next,
      }),
    keys,
  );

interface ModelParts {
  readonly budgets: Budgets;
  readonly steered: SteeredModel;
  readonly accounts: AccountsPort;
  readonly home: string;
  readonly batchFiles: BatchFilesPort;
}

async function startRuns(
  dynamicConfig: readonly string[],
  modelOf: (parts: ModelParts) => ModelPort,
  keys = keysForAll({ apiKey: undefined, keyIsFor: 'http://127.0.0.1' }),
  webhook: WebhookPort | null = null,
): Promise<RunsUnderTest> {
  const model = new SteeredModel();
  const home = mkdtempSync(join(tmpdir(), 'turnwise-runs-'));
  const runFiles = refusingRunFiles(openRunFiles(home));
  const batchFiles = createBatchFiles(runFiles, openStorage(home));
  const taskQueue = 'runs';
  let skewMs = 0;
  const queryFailures: Error[] = [];
  const searches: AroundSearch[] = [];
  const query = (): Promise<SqlOutcome> => {
    const failure = queryFailures.shift();
    const result = { columns: [], rows: [], more: false };
    return failure ? Promise.reject(failure) : Promise.resolve({ kind: 'rows', result });
  };
  const queries: TablesPort['queries'] = async ({ statements }) => {
    const answers = [];
    while (answers.length < statements.length) answers.push({ outcome: await query(), ms: 1 });
    return answers;
  };
  const temporal = await startTemporal(...dynamicConfig);
  // As in a worker's process. Over the other connection what is asked while it is closed would be asked again, and throw
  // where nobody catches it.
  const leases = new Client({ connection: temporal.nativeConnection });
  const client = atHome(temporal.client, taskQueue);
  const ports = {
    model: modelOf({
      budgets: leasedBudgets(leases, testHome),
      steered: model,
      accounts: new FakeAccounts(),
      ...{ home, batchFiles },
    }),
    batches: createBatches(keys),
    batchFiles,
    runFiles,
    webhook,
    // One more try within an attempt.
    storeForMs: 0,
    databases: noDatabases,
    clock: { now: () => new Date(Date.now() + skewMs).toISOString() },
    questions: createTemporalQuestions(leases, testHome),
  };
  const tools = { ...ports, ...fakeTools({}), tables: { ...fakeTools({}).tables, query, queries } };
  const findEnded = createFindEnded(ports);
  const worker = await Worker.create({
    connection: temporal.nativeConnection,
    taskQueue,
    workflowBundle: await bundleWorkflows(),
    activities: {
      openRun: createOpenRun(ports),
      listSamples: createListSamples(ports),
      startQuestions: createStartQuestions(ports),
      collectResults: createCollectResults(ports),
      findEnded: async (input: Parameters<typeof findEnded>[0]) => {
        const around = searches.shift();
        await around?.before();
        const found = await findEnded(input);
        await around?.after();
        return found;
      },
      restartQuestion: createRestartQuestion(ports),
      endUnstarted: createEndUnstarted(ports),
      lookUpEnds: createLookUpEnds(ports),
      keepTuning: createKeepTuning(ports),
      reopenQuestions: createReopenQuestions(ports),
      countSpent: createCountSpent(ports),
      keepBills: createKeepBills(ports),
      closeRun: createCloseRun(ports),
      collectCalls: createCollectCalls(ports),
      advanceBatch: createAdvanceBatch(ports),
      // A run without a webhook that told one would fail.
      ...(webhook && { tellWebhook: createTellWebhook(ports) }),
      askModel: createAskModel({ ...ports, ownCode: tools.ownCode }),
      takeAction: createTakeAction(tools),
      executeAnswer: createExecuteAnswer(tools),
      findOpenJudges: createFindOpenJudges(ports),
      judgeAnswer: createJudgeAnswer(ports),
      endQuestion: createEndQuestion(ports),
    },
  });
  const working = worker.run();

  function runOf(
    names: readonly string[],
    concurrency: number,
    held: readonly string[] = [],
    config: Partial<RunConfig> = {},
    itemOf: (name: string) => object = () => ({}),
  ): TestRun {
    const id = runIdSchema.parse(randomUUID());
    const text = (name: string): string => `${id} ${name}`;
    model.hold(...held.map(text));
    const { folder, manifest } = runInFolder(
      names.map((name) => ({ uuid: name, question: text(name), ...itemOf(name) })),
      (example) => ({
        ...example,
        run: id,
        config: { ...example.config, concurrency, ...config },
      }),
      home,
    );
    return {
      folder,
      handle: temporal.client.workflow.getHandle(runWorkflowId(testHome, id)),
      start: () => startRun(client, manifest),
      retry: (retrying) => retryInRun(client, manifest, retrying),
      question: (name) =>
        temporal.client.workflow.getHandle(questionWorkflowId(testHome, id, sampleKey(name))),
      untilAsked: (name, times) => model.untilAsked(text(name), times),
      hold: (...some) => model.hold(...some.map(text)),
      holdFrom: (call, name) => model.holdFrom(call, text(name)),
      release: (...some) => model.release(...some.map(text)),
      stumble: (...some) => model.stumble(...some.map(text)),
      query: (...some) => model.query(...some.map(text)),
      fail: (name, ...failures) => model.fail(text(name), ...failures),
      failJudge: (name, judge, ...failures) => model.fail(judging(text(name), judge), ...failures),
      holdJudge: (name, judge) => model.hold(judging(text(name), judge)),
      releaseJudge: (name, judge) => model.release(judging(text(name), judge)),
      untilJudged: (name, judge) => model.untilAsked(judging(text(name), judge)),
      asked: () =>
        model.asked.flatMap((question) => names.filter((name) => question === text(name))),
      outcomes: () =>
        linesOf(folder, resultsFile)
          .map((line) => resultSchema.parse(line))
          .map(({ uuid, outcome }) => `${uuid} ${outcome.kind}`),
      manifest: () =>
        runManifestSchema.parse(JSON.parse(readFileSync(join(folder, manifestFile), 'utf8'))),
    };
  }

  return {
    temporal,
    client,
    runFiles,
    runOf,
    aroundNextSearch: (around) => void searches.push(around),
    failQueries: (...failures) => void queryFailures.push(...failures),
    jump: (ms) => {
      skewMs += ms;
    },
    stop: async () => {
      model.releaseAll();
      worker.shutdown();
      await working;
      await temporal.teardown();
    },
  };
}
