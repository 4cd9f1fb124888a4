import { fork, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { z } from 'zod';
import { JudgementFiles } from '../../client/judgement-files.js';
import type { ScriptedQuestion } from '../../client/simulated-model/script.js';
import {
  startSimulatedModel,
  type SimulatedModel,
} from '../../client/simulated-model/simulated-model.js';
import { workerProgram } from '../../client/programs.js';
import { startRun } from '../../client/start-run.js';
import {
  ingestionWorkflowId,
  paperWorkflowId,
  questionWorkflowId,
  runIdSchema,
  storeNameSchema,
} from '../../domain/ids.js';
import { judgingWorkflowId } from '../../domain/judging/judging-job.js';
import type { Evaluator } from '../../domain/questions/evaluator.js';
import type { RunConfig } from '../../domain/runs/run-config.js';
import type { RunManifest } from '../../domain/runs/run-manifest.js';
import { storeFolder, storeManifestFile } from '../../domain/stores/store-layout.js';
import { storeManifestSchema } from '../../domain/stores/store-manifest.js';
import type { AnswerQuestionInput } from '../../workflows/answer-question.js';
import type { workerServeSchema } from '../../domain/services/supervisor-message.js';
import type { JudgeAnswersInput } from '../../workflows/judge-answers.js';
import { workflowNames } from '../../workflows/messages.js';
import { accountOf } from '../../worker/adapters/account-of.js';
import { createTemporalAccounts } from '../../worker/adapters/temporal-accounts.js';
import { accountReport } from '../support/account-report.js';
import { eventually } from '../support/command-line.js';
import { bakeryPaper, lanternPaper } from '../support/example-papers.js';
import { exampleManifest } from '../support/example-manifest.js';
import { sampleKey } from '../support/example-records.js';
import { makePdf } from '../support/make-pdf.js';
import { startMilvusLite } from '../support/milvus-lite.js';
import { runInFolder } from '../support/run-in-folder.js';
import { startTemporal } from '../support/temporal.js';

/**
 * Records the histories that are missing in this folder, from real runs: a Temporal server, Milvus Lite, the built worker
 * in a process of its own and the simulated model. It takes about two minutes and the engines that `npm test` fetches.
 * One that is there stays: that it replays shows that a run begun with an earlier version goes on.
 *
 * ```sh
 * npm run build
 * node --input-type=module -e "(await import('vite')).runnerImport('./tests/replay/record.ts')"
 * ```
 */
const taskQueue = 'recorded';
const home = mkdtempSync(join(tmpdir(), 'turnwise-recorded-'));
const store = storeNameSchema.parse('papers');

const searches: ScriptedQuestion = {
  question: 'How many fireflies did the wet meadow hold?',
  steps: [
    { thought: 'A search.', search: 'wet meadow' },
    { thought: 'A look.', sql: 'SELECT title FROM metadata' },
  ],
  answer: { thought: 'That is it.', value: 412 },
};
const stumbles: ScriptedQuestion = {
  question: 'Who counted them?',
  steps: [
    { thought: 'A search.', search: 'authors' },
    { thought: 'I ask them.', action: 'AskTheAuthors()' },
  ],
  answer: { thought: 'Nobody knows.', value: '' },
};

/** What is replied to the prompts of methods without turns, whatever the question. */
const prompts = [
  {
    includes: 'Then write one action',
    reply:
      '```json\n{"action_type": "RetrieveFromDatabase", "parameters": {"sql": "SELECT title FROM metadata"}}\n```',
  },
  { includes: 'Then give the final answer', reply: 'As it says.\n```txt\n412\n```' },
];

// A new history is suggested early, so that a run of a few questions has several.
const temporal = await startTemporal('limit.historyCount.suggestContinueAsNew=90');
const { workflow } = temporal.client;
const milvus = await startMilvusLite();
const model = await startSimulatedModel({
  script: { questions: [searches, stumbles], prompts, generated: { turns: 2 } },
});
const slowModel = await startSimulatedModel({
  script: { generated: { turns: 2 } },
  latencyMs: 4_000,
});
const worker = await startWorker();
try {
  await recordIngestion();
  await recordEnds();
  await recordFailureHere();
  await recordBriefedQuestions();
  await recordBudget();
  await recordJudges();
  await recordJudging();
  await recordManyQuestions();
  await recordLostReport();
  await recordCancellation();
  await recordAccount();
} finally {
  worker.kill();
  await once(worker, 'exit');
  await Promise.all([model.close(), slowModel.close(), milvus.remove()]);
  await temporal.teardown();
}

/** Of four files one is new, one known, one without text and one absent. */
async function recordIngestion(): Promise<void> {
  const file = (name: string, content: Buffer): string => {
    writeFileSync(join(home, name), content);
    return join(home, name);
  };
  const known = file('bakery.pdf', bakeryPaper());
  const scan = file('scan.pdf', makePdf({ pages: [[]] }));
  const fresh = lanternPaper();
  for (const files of [
    [known],
    [file('lantern.pdf', fresh), known, scan, join(home, 'absent.pdf')],
  ]) {
    await workflow.execute(workflowNames.ingestPapers, {
      workflowId: ingestionWorkflowId(store),
      taskQueue,
      args: [{ store, files }],
    });
  }
  const sha256 = createHash('sha256').update(fresh).digest('hex');
  await write('ingest-papers', workflow.getHandle(ingestionWorkflowId(store)));
  await write('ingest-paper', workflow.getHandle(paperWorkflowId(store, sha256)));
}

async function recordEnds(): Promise<void> {
  const three = [searches.question, stumbles.question, 'Why?'];
  const several = runOf('several', three, { concurrency: 2 });
  const handle = await several.start();
  await handle.result();
  await write('run-of-several', handle);
  await write('question-answered', several.question(1));
  await write('question-unparseable-turn', several.question(2));
  await write('run-of-seen-results', handle);
  await write('question-of-seen-result', several.question(1));
  await write('question-asked-here', several.question(1));

  const capped = runOf('capped', ['Why?'], { maxTurns: 1 });
  await (await capped.start()).result();
  await write('question-turn-limit', capped.question(1));

  const failing = runOf(
    'failing',
    ['Why?'],
    { modelAttempts: 2 },
    { url: 'http://127.0.0.1:9/v1' },
  );
  await (await failing.start()).result();
  await write('question-infra-error', failing.question(1));
}

/** The second turn's call is made in the worker first, fails, and is made again through the queue. */
async function recordFailureHere(): Promise<void> {
  const failing = await startSimulatedModel({
    script: { questions: [searches, stumbles], prompts, generated: { turns: 2 } },
    faults: { '503': 0.4 },
    seed: 1,
  });
  try {
    const failed = runOf('failed-here', [searches.question], {}, failing);
    await (await failed.start()).result();
    await write('question-failed-here', failed.question(1));
  } finally {
    await failing.close();
  }
}

/** What their methods need of the store is read before the first turn. */
async function recordBriefedQuestions(): Promise<void> {
  for (const [name, method] of [
    ['two-stage', 'two_stage_hybrid_rag'],
    ['single-shot', 'trivial_title_with_abstract'],
  ] as const) {
    const briefed = runOf(name, ['How many of them were there?'], { method });
    await (await briefed.start()).result();
    await write(`question-${name}`, briefed.question(1));
  }
}

/** Its workers have not given back what they hold when it ends. */
async function recordBudget(): Promise<void> {
  const handle = await runOf('budget', ['Why?'], { budget: { usd: null, tokens: 1e6 } }).start();
  await handle.result();
  await write('run-with-budget', handle);
  await write('run-with-leases', handle);
}

/** The first of two judges cannot be reached. */
async function recordJudges(): Promise<void> {
  const judge = { ...exampleManifest().config.model, baseUrl: model.url };
  const judged = runOf(
    'judged',
    ['Why?'],
    {
      modelAttempts: 2,
      judging: {
        models: [
          { ...judge, name: 'absent', baseUrl: 'http://127.0.0.1:9/v1' },
          { ...judge, name: 'present' },
        ],
        combination: 'mean',
        tries: 1,
      },
    },
    model,
    {
      eval_func: 'eval_reference_answer_with_llm',
      eval_kwargs: { question: 'Why?', reference_answer: 'Because.' },
    },
  );
  await (await judged.start()).result();
  await write('question-judged', judged.question(1));
}

/** Of four answers one cannot be judged within the budget. */
async function recordJudging(): Promise<void> {
  const evaluator = {
    eval_func: 'eval_reference_answer_with_llm',
    eval_kwargs: { question: 'Why?', reference_answer: 'Because.' },
  };
  const judging = new JudgementFiles(home).writeJob({
    judging: {
      models: [{ ...exampleManifest().config.model, name: 'present', baseUrl: model.url }],
      combination: 'majority',
      tries: 1,
    },
    mode: 'default',
    cases: [1, 2, 3, 4].map((number) => ({
      folder: `judgements/${number}`,
      answer: JSON.stringify(`Because of ${number}.`),
      evaluator,
    })),
  });
  const input: JudgeAnswersInput = {
    judging,
    cases: 4,
    concurrency: 2,
    budget: { usd: null, tokens: 3_200 },
    modelTimeoutMs: 60_000,
    modelAttempts: 2,
  };
  const workflowId = judgingWorkflowId(judging);
  await workflow.execute(workflowNames.judgeAnswers, { workflowId, taskQueue, args: [input] });
  await write('judge-answers', workflow.getHandle(workflowId));
}

async function recordManyQuestions(): Promise<void> {
  const questions = Array.from({ length: 12 }, (_, index) => `Why number ${index + 1}?`);
  const handle = await runOf('many', questions, { concurrency: 3 }).start();
  const { runId } = await handle.describe();
  await handle.result();
  const first = workflow.getHandle(handle.workflowId, runId);
  await write('run-continued-as-new', first);
  await write('run-in-last-history', handle);
  await write('run-asking-for-reports', first);
  await write('run-told-by-signals', handle);
}

/** A question that has no parent has nobody to report to, and its run only finds it open. */
async function recordLostReport(): Promise<void> {
  const { start, manifest } = runOf('lost', ['Why?'], {}, slowModel);
  const { run, config } = manifest;
  const input: AnswerQuestionInput = {
    run,
    ...sampleKey('q1'),
    question: 'Why?',
    maxTurns: config.maxTurns,
    modelTimeoutMs: config.model.timeoutMs,
    modelAttempts: config.modelAttempts,
  };
  await workflow.start(workflowNames.answerQuestion, {
    workflowId: questionWorkflowId(run, sampleKey('q1')),
    taskQueue,
    args: [input],
  });
  const handle = await start();
  await handle.result();
  await write('run-with-lost-report', handle);
  await write('run-waking-questions', handle);
}

async function recordCancellation(): Promise<void> {
  const before = slowModel.stats().received;
  const cancelled = runOf(
    'cancelled',
    ['Why?', 'Why not?', 'So what?'],
    { concurrency: 2 },
    slowModel,
  );
  const handle = await cancelled.start();
  await eventually(() => (slowModel.stats().received === before + 2 ? true : null));
  await handle.cancel();
  await handle.result().catch(() => undefined);
  await write('run-cancelled', handle);
  await write('question-cancelled', cancelled.question(1));
}

/** So many reports of two workers that a second history begins. */
async function recordAccount(): Promise<void> {
  const { report } = createTemporalAccounts(temporal.client, taskQueue);
  const baseUrl = 'http://127.0.0.1:9/v1';
  const account = accountOf(
    { apiKey: undefined, keyIsFor: baseUrl },
    { baseUrl, model: 'recorded' },
  );
  const limit = { told: null, measured: 300, isGuess: false };
  const say = (worker: string): Promise<unknown> =>
    report(account, { ...accountReport(worker), requests: limit });
  await say('a');
  const handle = workflow.getHandle(account.workflowId);
  const { runId } = await handle.describe();
  await eventually(async () => {
    await say('b');
    return (await handle.describe()).runId === runId ? null : true;
  });
  await write('provider-account', workflow.getHandle(account.workflowId, runId));
  await write('provider-account-by-signals', workflow.getHandle(account.workflowId, runId));
}

/** A run of questions `q1`, `q2`, … in the worker's own folder. */
function runOf(
  name: string,
  questions: readonly string[],
  config: Partial<RunConfig>,
  { url }: Pick<SimulatedModel, 'url'> = model,
  evaluator?: Evaluator,
): {
  readonly manifest: RunManifest;
  readonly start: () => ReturnType<typeof startRun>;
  readonly question: (number: number) => WorkflowHandle;
} {
  const run = runIdSchema.parse(name);
  const { manifest } = runInFolder(
    questions.map((question, index) => ({ uuid: `q${index + 1}`, question, evaluator })),
    (example) => ({
      ...example,
      run,
      store: { ...example.store, fingerprint: fingerprintOfStore() },
      config: { ...example.config, ...config, model: { ...example.config.model, baseUrl: url } },
    }),
    home,
  );
  return {
    manifest,
    start: () => startRun(temporal.client, manifest, taskQueue),
    question: (number) => workflow.getHandle(questionWorkflowId(run, sampleKey(`q${number}`))),
  };
}

/** As it was ingested: a run goes on over the store that it began with. */
function fingerprintOfStore(): string {
  const path = join(home, storeFolder(store), storeManifestFile);
  return storeManifestSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).fingerprint;
}

async function startWorker(): Promise<ChildProcess> {
  const child = fork(workerProgram('worker'), {
    // Those of this process say how its own code is read.
    execArgv: [],
    env: {
      ...process.env,
      TURNWISE_HOME: home,
      TURNWISE_TASK_QUEUE: taskQueue,
      TEMPORAL_ADDRESS: temporal.address,
      MILVUS_ADDRESS: milvus.address,
      OPENAI_API_KEY: 'none',
      OPENAI_BASE_URL: model.url,
    },
  });
  const started = once(child, 'message').then(() => true);
  const ended = once(child, 'exit').then(() => false);
  child.send({ kind: 'serve' } satisfies z.infer<typeof workerServeSchema>);
  if (await Promise.race([started, ended])) return child;
  throw new Error('the worker ended before it was ready');
}

async function write(name: string, handle: WorkflowHandle): Promise<void> {
  const path = fileURLToPath(new URL(`${name}.json`, import.meta.url));
  if (existsSync(path)) return;
  const history: unknown = JSON.parse(historyToJSON(await handle.fetchHistory()));
  const text = JSON.stringify(history).replaceAll(hostname(), 'host');
  writeFileSync(path, `${text}\n`);
  process.stdout.write(`${name}: ${text.length} characters\n`);
}
