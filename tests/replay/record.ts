import { createHash, randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importDatabases } from '../../client/runs/database-qa/import-databases.js';
import { JudgementFiles } from '../../client/runs/scoring/judge-panel.js';
import {
  enrichmentKinds,
  enrichmentPromptVersion,
  enrichmentIdOf,
  enrichmentJobFile,
  type EnrichmentJob,
} from '../../domain/enrichment/job.js';
import {
  ingestionWorkflowId,
  paperWorkflowId,
  probeWorkflowId,
  runIdSchema,
  storeNameSchema,
} from '../../domain/ids.js';
import { judgingWorkflowId } from '../../domain/scoring/judging/judging-job.js';
import { reviewWorkflowId, type ReviewConfig } from '../../domain/scoring/review/panel.js';
import { hashingName } from '../../domain/embedders.js';
import { storeFolder } from '../../domain/stores/store-manifest.js';
import { writeFileAtomically } from '../../storage/atomic-file.js';
import { createFolderStorage } from '../../storage/folder-storage.js';
import { createIngestionFiles } from '../../storage/stores/ingestion-files.js';
import type { AnswerQuestionInput } from '../../domain/runs/question-ref.js';
import type {
  EnrichPapersInput,
  JudgeAnswersInput,
  ReviewAnswersInput,
} from '../../workflows/jobs/call-jobs.js';
import type { ProbeModelsInput } from '../../workflows/jobs/probe-models.js';
import { workflowNames } from '../../workflows/messages.js';
import { accountOf } from '../../worker/model-calls/rate-limit.js';
import { createTemporalAccounts } from '../../worker/adapters/temporal.js';
import { accountReport, unknownLimit } from '../support/fakes/account-report.js';
import { eventually } from '../support/command-line.js';
import { bakeryPaper, lanternPaper } from '../support/stores/example-papers.js';
import { exampleManifest } from '../support/runs/example-manifest.js';
import { sampleKey } from '../support/runs/example-records.js';
import { answeredRun, plannedReview, reviewConfig } from '../support/runs/reviewed.js';
import { makePdf } from '../support/stores/make-pdf.js';
import { recordBuilding } from './record-building.js';
import { searches, startRecorder, store, stumbles } from './recorder.js';
import { inHome } from '../../domain/home.js';
import { storedFile, storedManifest } from '../support/stores/store-commands.js';
import { keysForAll } from '../support/model-calls/keys-for-all.js';
import { placeAt } from '../support/stores/place-at.js';

/**
 * Records the histories that are missing in this folder, from real runs: a Temporal server, Milvus Lite, the built worker
 * in a process of its own and the simulated model. It takes about three minutes and the engines that `npm test` fetches.
 * A history that is already there stays; to record it anew, delete it first.
 *
 * ```sh
 * rm -f tests/replay/*.json && npm run build
 * node --input-type=module -e "(await import('vite')).runnerImport('./tests/replay/record.ts')"
 * ```
 */
const recorder = await startRecorder();
const { client, home, loseWorker, model, runOf, slowModel, write } = recorder;
const { queue: taskQueue, workflow } = client;
try {
  await recordIngestion();
  await recordDatabase();
  await recordStoreWork();
  await recordEnrichment();
  await recordEnds();
  await recordLostAttempt();
  await recordBriefedQuestions();
  await recordBudget();
  await recordProbes();
  await recordJudges();
  await recordJudging();
  await recordReview();
  await recordBuilding(recorder);
  await recordManyQuestions();
  await recordLostReport();
  await recordCancellation();
  await recordAccount();
} finally {
  await recorder.stop();
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
    const ingestion = { store, id: randomUUID() };
    const pages = await createIngestionFiles(placeAt(home).storage).create(ingestion, files);
    await workflow.execute(workflowNames.ingestPapers, {
      workflowId: ingestionWorkflowId(client.home, store),
      taskQueue,
      args: [{ ingestion, pages, embedder: hashingName }],
    });
  }
  const sha256 = createHash('sha256').update(fresh).digest('hex');
  await write('ingest-papers', workflow.getHandle(ingestionWorkflowId(client.home, store)));
  await write('ingest-paper', workflow.getHandle(paperWorkflowId(client.home, store, sha256)));
}

/** A store that holds a database. */
async function recordDatabase(): Promise<void> {
  const ddl = 'CREATE TABLE t (id INTEGER PRIMARY KEY, x VARCHAR)';
  const rows = `INSERT INTO t VALUES (1, 'a word or two')`;
  const imported = await importDatabases({ home, folder: '', sources: [{ ddl, rows }] });
  const [result] = imported.values();
  if (result?.kind !== 'imported' || result.ref.kind !== 'imported') throw new Error('no database');
  const shop = storeNameSchema.parse('shop');
  await workflow.execute(workflowNames.importDatabase, {
    workflowId: ingestionWorkflowId(client.home, shop),
    taskQueue,
    args: [{ store: shop, database: result.ref.id, embedder: hashingName }],
  });
  await write('import-database', workflow.getHandle(ingestionWorkflowId(client.home, shop)));
}

/** A store that has lost its BM25 model is mended; what is left of a store is removed. */
async function recordStoreWork(): Promise<void> {
  rmSync(storedFile(home, store, 'bm25'));
  await workflow.execute(workflowNames.checkStore, {
    workflowId: ingestionWorkflowId(client.home, store),
    taskQueue,
    args: [{ store, repair: true, embedder: hashingName }],
  });
  await write('check-store', workflow.getHandle(ingestionWorkflowId(client.home, store)));

  const other = storeNameSchema.parse('other');
  await workflow.execute(workflowNames.dropStore, {
    workflowId: ingestionWorkflowId(client.home, other),
    taskQueue,
    args: [{ store: other }],
  });
  await write('drop-store', workflow.getHandle(ingestionWorkflowId(client.home, other)));
}

/** Of the parts of two papers the last cannot be asked about within the budget. */
async function recordEnrichment(): Promise<void> {
  const here = { ...exampleManifest().config.model, baseUrl: model.url, maxTokens: 500 };
  const job: EnrichmentJob = {
    ...{ prompts: enrichmentPromptVersion, model: here, vision: here, kinds: enrichmentKinds },
    papers: storedManifest(home, store).papers,
  };
  const id = enrichmentIdOf(job);
  const path = join(home, storeFolder(store), enrichmentJobFile(id));
  await writeFileAtomically(path, JSON.stringify(job));
  const input: EnrichPapersInput = {
    ...{ store, job: id, cases: job.papers.length, concurrency: 2, embedder: hashingName },
    ...{ budget: { usd: null, tokens: 2_000 }, modelTimeoutMs: 60_000, modelAttempts: 2 },
  };
  const workflowId = ingestionWorkflowId(client.home, store);
  await workflow.execute(workflowNames.enrichPapers, { workflowId, taskQueue, args: [input] });
  await write('enrich-papers', workflow.getHandle(workflowId));
}

async function recordEnds(): Promise<void> {
  const three = [searches.question, stumbles.question, 'Why?'];
  const several = runOf('several', three, { concurrency: 2 });
  const handle = await several.start();
  await handle.result();
  await write('run-of-several', handle);
  await write('question-answered', several.question(1));
  await write('question-unparseable-turn', several.question(2));

  const capped = runOf('capped', ['Why?'], { maxTurns: 1 });
  await (await capped.start()).result();
  await write('question-turn-limit', capped.question(1));

  const failing = runOf(
    'failing',
    ['Why?'],
    { modelAttempts: 2, onFailure: 'end' },
    { url: 'http://127.0.0.1:9/v1' },
  );
  await (await failing.start()).result();
  await write('question-infra-error', failing.question(1));
}

/** The only attempt of the first call is lost with its worker, so the call gets another one. */
async function recordLostAttempt(): Promise<void> {
  const before = slowModel.stats().received;
  const lost = runOf('lost-attempt', ['Why?'], { modelAttempts: 1 }, slowModel);
  const handle = await lost.start();
  await eventually(() => (slowModel.stats().received > before ? true : null));
  await loseWorker();
  await handle.result();
  await write('question-lost-attempt', lost.question(1));
}

/** What their methods need of the store is read before the first turn. */
async function recordBriefedQuestions(): Promise<void> {
  for (const [name, method] of [
    ['two-stage', 'two_stage_hybrid_rag'],
    ['single-shot', 'trivial_title_with_abstract'],
    ['sequential', 'sequential'],
  ] as const) {
    const needsContext = runOf(name, ['How many of them were there?'], { method });
    await (await needsContext.start()).result();
    await write(`question-${name}`, needsContext.question(1));
  }
}

/** Its workers have not given back what they hold when it ends. */
async function recordBudget(): Promise<void> {
  const handle = await runOf('budget', ['Why?'], { budget: { usd: null, tokens: 1e6 } }).start();
  await handle.result();
  await write('run-with-budget', handle);
}

/** The first of two judges cannot be reached. */
async function recordJudges(): Promise<void> {
  const judge = { ...exampleManifest().config.model, baseUrl: model.url };
  const judged = runOf(
    'judged',
    ['Why?'],
    {
      modelAttempts: 2,
      onFailure: 'end',
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

/** A run has a budget, and its model answers. */
async function recordProbes(): Promise<void> {
  const probed = runOf('probed', ['Why?'], { budget: { usd: null, tokens: 5_000 } });
  const { run, config } = probed.manifest;
  const input: ProbeModelsInput = { run, models: [config.model.name], capped: true, scored: [] };
  const workflowId = probeWorkflowId(client.home, run);
  await workflow.execute(workflowNames.probeModels, { workflowId, taskQueue, args: [input] });
  await write('probe-models', workflow.getHandle(workflowId));
}

/** Of four answers one cannot be judged within the budget. */
async function recordJudging(): Promise<void> {
  const evaluator = {
    eval_func: 'eval_reference_answer_with_llm',
    eval_kwargs: { question: 'Why?', reference_answer: 'Because.' },
  };
  const judging = await new JudgementFiles(createFolderStorage(home)).writeJob({
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
  const workflowId = judgingWorkflowId(client.home, judging);
  await workflow.execute(workflowNames.judgeAnswers, { workflowId, taskQueue, args: [input] });
  await write('judge-answers', workflow.getHandle(workflowId));
}

/** Two answers before six members; the last call of the second history is more than the budget covers. */
async function recordReview(): Promise<void> {
  const run = runIdSchema.parse('reviewed');
  const answered = await answeredRun(['r1', 'r2'], {
    home,
    change: (manifest) => ({ ...manifest, run }),
  });
  const members = reviewConfig('a,b,c|d,e,f');
  const here = (side: ReviewConfig['reviewers']): ReviewConfig['reviewers'] =>
    side.map((member) => ({ ...member, baseUrl: model.url, maxTokens: 500 }));
  const config = {
    ...members,
    reviewers: here(members.reviewers),
    metaReviewers: here(members.metaReviewers),
  };
  const { review } = await plannedReview(answered, config);
  const input: ReviewAnswersInput = {
    run,
    review,
    cases: 6,
    concurrency: 3,
    budget: { usd: null, tokens: 16_000 },
    modelTimeoutMs: 60_000,
    modelAttempts: 2,
  };
  const handle = await workflow.start(workflowNames.reviewAnswers, {
    workflowId: reviewWorkflowId(client.home, run, review),
    taskQueue,
    args: [input],
  });
  const { runId } = await handle.describe();
  await handle.result();
  await write('review-continued-as-new', workflow.getHandle(handle.workflowId, runId));
  await write('review-in-last-history', workflow.getHandle(handle.workflowId));
}

async function recordManyQuestions(): Promise<void> {
  const questions = Array.from({ length: 30 }, (_, index) => `Why number ${index + 1}?`);
  const handle = await runOf('many', questions, { concurrency: 3 }).start();
  const { runId } = await handle.describe();
  await handle.result();
  const first = workflow.getHandle(handle.workflowId, runId);
  await write('run-continued-as-new', first);
  await write('run-in-last-history', handle);
}

/** A run finds a question open already. It reports nothing, as somebody terminates it. */
async function recordLostReport(): Promise<void> {
  const { start, question, manifest } = runOf('lost', ['Why?'], {}, slowModel);
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
    workflowId: question(1).workflowId,
    taskQueue,
    args: [input],
  });
  const handle = await start();
  const { runId } = await handle.describe();
  // The run has told it to go on.
  await eventually(async () => {
    const { events } = await question(1).fetchHistory();
    return events?.find((event) => event.workflowExecutionSignaledEventAttributes);
  });
  await question(1).terminate('by hand');
  await handle.result();
  await write('run-with-lost-report', workflow.getHandle(handle.workflowId, runId));
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
  const { report } = createTemporalAccounts(client, { home: client.home, taskQueue });
  const baseUrl = 'http://127.0.0.1:9/v1';
  const account = accountOf(keysForAll({ apiKey: undefined, keyIsFor: baseUrl }), {
    api: 'chat',
    baseUrl,
    model: 'recorded',
  });
  const accountId = inHome(client.home, account.workflowId);
  const limit = { ...unknownLimit, estimated: 300 };
  const say = (worker: string): Promise<unknown> =>
    report(account, { ...accountReport(worker), requests: limit });
  await say('a');
  const handle = workflow.getHandle(accountId);
  const { runId } = await handle.describe();
  await eventually(async () => {
    await say('b');
    return (await handle.describe()).runId === runId ? null : true;
  });
  await write('provider-account', workflow.getHandle(accountId, runId));
}
