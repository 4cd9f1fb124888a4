import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { executeReview, planReview } from '../client/runs/scoring/review-run.js';
import { RunFolder } from '../client/runs/run-folder.js';
import { loadEnvironment } from '../client/services/environment.js';
import { withServices } from '../client/services/session.js';
import type { AnswerTrace } from '../domain/agent/database-qa/answer-trace.js';
import { toolStatsOf } from '../domain/agent/question-result.js';
import { noCap } from '../domain/budget/amount.js';
import { questionIdSchema, runIdSchema } from '../domain/ids.js';
import { noUsage } from '../domain/models/usage.js';
import { noProbes } from '../domain/runs/probes.js';
import { defaultRunConfig } from '../domain/runs/run-config.js';
import { datasetFile, manifestFile, traceFile } from '../domain/runs/run-layout.js';
import type { RunManifest } from '../domain/runs/run-manifest.js';
import { defaultReview, type ReviewConfig } from '../domain/scoring/review/review-config.js';
import {
  databaseDescriptionFile,
  databaseIdSchema,
  databaseKey,
  type DatabaseDescriptionFile,
} from '../domain/stores/database.js';
import { startSimulatedModel } from '../simulator/simulated-model.js';
import { markdownTable, problemsOf, ratioTable, type Benchmark } from './benchmark.js';

/** @defaultValue of `--calls` */
const usualCalls = 20_000;
const perMinute = 600;
const latencyMs = 2_000;
/** Three times what the limit allows at this latency. */
const concurrency = 60;
/** Of an answer, by three reviewers and three meta-reviewers of three parts. */
const callsPerAnswer = 18;
const leastUsed = 0.95;

export const reviewBenchmark: Benchmark = {
  summary: `the used share of 600 requests a minute by a review of ${usualCalls} calls, in half an hour; --calls N makes another number`,
  run: async (log, { calls = usualCalls }) => {
    const home = mkdtempSync(join(tmpdir(), 'turnwise-bench-'));
    const environment = { ...loadEnvironment(), TURNWISE_HOME: home };
    const model = await startSimulatedModel({
      latencyMs,
      jitter: 0.5,
      requestsPerMinute: perMinute,
    });
    try {
      const folder = await answeredRun(home, model.url, Math.ceil(calls / callsPerAnswer));
      const config = configOf(model.url);
      const planned = await planReview(folder, config);
      log(`${planned.forecast.calls} calls, at most ${perMinute} a minute`);
      const measured = await withServices(environment, async (session) => {
        const logging = setInterval(() => log(`${model.stats().completed} calls`), 15_000);
        const start = performance.now();
        const limits = { concurrency, budget: noCap };
        const made = await executeReview(session, folder, planned, limits).finally(() =>
          clearInterval(logging),
        );
        return { made, wallMs: performance.now() - start };
      });
      const { received, refused, completed } = model.stats();
      const stored = measured.made.record.totals?.usage.calls ?? 0;
      const open = measured.made.panels.filter((panel) => panel.open).length;
      const ratios = [
        {
          name: 'share of the limit used, from the start of the command to its end',
          value: completed / (measured.wallMs / 60_000) / perMinute,
          limit: leastUsed,
          bound: 'at least',
        },
        {
          name: 'calls made twice',
          value: completed - stored,
          limit: 0,
          bound: 'at most',
        },
        { name: 'panels left open', value: open, limit: 0, bound: 'at most' },
        {
          name: 'share of refused calls',
          value: refused / received,
          limit: 0.02,
          bound: 'at most',
        },
      ] as const;
      return {
        tables: [
          markdownTable(
            ['calls', 'minutes', 'calls a minute'],
            [
              [
                String(completed),
                (measured.wallMs / 60_000).toFixed(1),
                (completed / (measured.wallMs / 60_000)).toFixed(0),
              ],
            ],
          ),
          ratioTable(ratios),
        ],
        figures: {
          calls: completed,
          perMinute,
          latencyMs,
          concurrency,
          wallMs: Math.round(measured.wallMs),
          ratios,
        },
        problems: problemsOf(ratios),
      };
    } finally {
      await model.close();
      rmSync(home, { recursive: true, force: true });
    }
  },
};

/** One model in all places, so that all calls are of one account. */
function configOf(baseUrl: string): ReviewConfig {
  const { size, tries, seed, temperature, topP, maxTokens } = defaultReview;
  const settings = { ...defaultRunConfig.model, temperature, topP, maxTokens };
  const side = Array.from({ length: size }, () => ({ ...settings, name: 'simulated', baseUrl }));
  return { reviewers: side, metaReviewers: side, tries, seed, orderCheck: 0 };
}

/** A run of answers about generated databases of one table, as `turnwise run` leaves it. */
async function answeredRun(home: string, baseUrl: string, answers: number): Promise<RunFolder> {
  const run = runIdSchema.parse('reviewed');
  const folder = new RunFolder(home, run);
  const id = databaseIdSchema.parse('0123456789abcdef0123456789abcdef');
  const source = { ddl: 'CREATE TABLE measurements (number BIGINT);', rows: '' };
  const description = join(home, databaseDescriptionFile(id));
  mkdirSync(dirname(description), { recursive: true });
  const column = { name: 'number', type: 'BIGINT', nullable: false, description: '' };
  const table = {
    name: 'measurements',
    description: '',
    rows: 9,
    columns: [column],
    primaryKey: [],
    foreignKeys: [],
  };
  const described: DatabaseDescriptionFile = {
    id,
    name: 'measurements',
    tables: [table],
    searched: [],
    // Nothing is queried.
    content: { sha256: '0'.repeat(64), bytes: 0 },
  };
  writeFileSync(description, JSON.stringify(described));
  const keys = Array.from({ length: answers }, (_, index) => ({
    uuid: questionIdSchema.parse(`q-${index + 1}`),
    epoch: 1,
  }));
  const items = keys.map(({ uuid }) => ({
    uuid,
    question: `What does measurement ${uuid} come to?`,
    database: source,
  }));
  const manifest: RunManifest = {
    run,
    status: 'done',
    dataset: { path: 'reviewed.jsonl', fingerprint: 'generated', items: answers },
    store: null,
    databases: { [databaseKey(source)]: { kind: 'imported', id } },
    config: {
      ...defaultRunConfig,
      method: 'sequential',
      model: { ...defaultRunConfig.model, name: 'simulated', baseUrl },
    },
    versions: { turnwise: '0', prompts: '0', judgePrompts: '0', schema: '0', gitRevision: null },
    startedAt: new Date().toISOString(),
    endedAt: null,
    totals: null,
    probes: noProbes,
  };
  await folder.write(datasetFile, items.map((item) => `${JSON.stringify(item)}\n`).join(''));
  await folder.write(manifestFile, JSON.stringify(manifest));
  for (const key of keys) {
    await folder.write(traceFile(key), JSON.stringify(traceOf(key.uuid)));
    const at = new Date().toISOString();
    const end = {
      result: {
        ...key,
        question: 'How many?',
        tags: [],
        answer: '7',
        outcome: { kind: 'answered' } as const,
        turns: 0,
        usage: noUsage,
        costUsd: null,
        model: null,
        startedAt: at,
        endedAt: at,
        times: { durationMs: 0, modelMs: null, waitedMs: 0 },
        trajectory: '',
        tools: toolStatsOf([]),
      },
      score: {
        ...key,
        score: null,
        verdict: { kind: 'unscored', reason: 'no-evaluator' } as const,
        scorer: null,
      },
    };
    await folder.files.saveEnd(run, key, end, []);
    await folder.files.publish(run, [end]);
  }
  return folder;
}

const text = (content: string) => ({ text: content, words: 0, tokens: 0 });

const traceOf = (uuid: string): AnswerTrace => ({
  uuid,
  epoch: 1,
  method: 'sequential',
  model: 'simulated',
  stoppedBy: 'agent',
  tokenizer: 'o200k_base',
  plan: text('The number of the measurement, from table measurements. '.repeat(10)),
  queries: [1, 2, 3].map(() => ({
    sql: 'SELECT number FROM measurements;',
    round: 1,
    repairOf: null,
    status: 'rows',
    rows: 40,
    moreRows: false,
    shownRows: 40,
    error: null,
    ms: 1,
    shown: `number\n${'7\n'.repeat(40)}`,
  })),
  answer: text('The measurement comes to 7. '.repeat(20)),
});
