import { RunFolder } from '../client/runs/run-folder.js';
import { executeReview, planReview } from '../client/runs/scoring/review-run.js';
import type { AnswerTrace } from '../domain/agent/database-qa/answer-trace.js';
import { noCap } from '../domain/budget/amount.js';
import { defaultRunConfig } from '../domain/runs/run-config.js';
import { traceFile } from '../domain/runs/run-layout.js';
import { defaultReview, type ReviewConfig } from '../domain/scoring/review/review-config.js';
import { atLeast, atMost, markdownTable, ratioFindings, type Benchmark } from './benchmark.js';
import { withServedHome } from './example-store.js';
import { endOf, linesOf, prepareQuestions, withModel } from './question-run.js';

/** @defaultValue of `--calls` */
const usualCalls = 20_000;
const perMinute = 600;
const latencyMs = 2_000;
/** Three times what the limit allows at this latency. */
const concurrency = 60;
/** Of an answer, by three reviewers and three meta-reviewers of three parts. */
const callsPerAnswer = 18;

export const reviewBenchmark: Benchmark = {
  summary: `the used share of 600 requests a minute by a review of ${usualCalls} calls, in half an hour; --calls N makes another number`,
  run: (log, { calls: asked = usualCalls }) =>
    withModel({ latencyMs, jitter: 0.5, requestsPerMinute: perMinute }, (model) =>
      withServedHome(async ({ home, session }) => {
        const folder = await answeredRun(home, model.url, Math.ceil(asked / callsPerAnswer));
        const planned = await planReview(folder, configOf(model.url));
        log(`${planned.forecast.calls} calls, at most ${perMinute} a minute`);
        const logging = setInterval(() => log(`${model.stats().completed} calls`), 15_000);
        const start = performance.now();
        const limits = { concurrency, budget: noCap };
        const made = await executeReview(session, folder, planned, limits).finally(() =>
          clearInterval(logging),
        );
        const wallMs = Math.round(performance.now() - start);
        const { received, refused, completed: calls } = model.stats();
        const stored = made.record.totals?.usage.calls ?? 0;
        const minutes = wallMs / 60_000;
        const ratios = [
          atLeast(
            'share of the limit used, from the start of the command to its end',
            calls / minutes / perMinute,
            0.95,
          ),
          atMost('calls made twice', calls - stored, 0),
          atMost('panels left open', made.panels.filter((panel) => panel.open).length, 0),
          atMost('share of refused calls', refused / received, 0.02),
        ];
        const table = markdownTable(
          ['calls', 'minutes', 'calls a minute'],
          [[String(calls), minutes.toFixed(1), (calls / minutes).toFixed(0)]],
        );
        return ratioFindings(ratios, { calls, perMinute, latencyMs, concurrency, wallMs }, table);
      }),
    ),
};

/** One model in all places, so that all calls are of one account. */
function configOf(baseUrl: string): ReviewConfig {
  const { size, tries, seed, temperature, topP, maxTokens } = defaultReview;
  const settings = { ...defaultRunConfig.model, temperature, topP, maxTokens };
  const side = Array.from({ length: size }, () => ({ ...settings, name: 'simulated', baseUrl }));
  return { reviewers: side, metaReviewers: side, tries, seed, orderCheck: 0 };
}

/** A run of answers about a database of one table, as `turnwise run` leaves it. */
async function answeredRun(home: string, baseUrl: string, answers: number): Promise<RunFolder> {
  const ends = Array.from({ length: answers }, (_, index) => endOf(index));
  const database = { ddl: 'CREATE TABLE measurements (number BIGINT);', rows: '' };
  const items = ends.map(({ result: { uuid, question } }) => ({ uuid, question, database }));
  const { run } = await prepareQuestions(
    { home, manifest: null },
    {
      ...{ name: 'reviewed', dataset: linesOf(items), inFlight: concurrency, baseUrl },
      config: { method: 'sequential' },
    },
  );
  const folder = new RunFolder(home, run);
  for (const end of ends) {
    await folder.write(traceFile(end.result), JSON.stringify(traceOf(end.result.uuid)));
    await folder.files.saveEnd(run, end.result, end, []);
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
