import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseModes } from '../../../domain/agent/database-qa/answer-trace.js';
import { promptVersion } from '../../../domain/agent/prompts/prompt-texts.js';
import { noCap } from '../../../domain/budget/amount.js';
import { runIdSchema } from '../../../domain/ids.js';
import type { ModelConfig } from '../../../domain/models/model-settings.js';
import { defaultRunConfig, type RunConfig } from '../../../domain/runs/run-config.js';
import { defaultJudging } from '../../../domain/scoring/judging/judging-config.js';
import { defaultReview, type ReviewConfig } from '../../../domain/scoring/review/review-config.js';
import { storageOf } from '../../../domain/settings.js';
import { startSimulatedModel } from '../../../simulator/simulated-model.js';
import { reportOnRuns } from '../../runs/database-qa/database-report.js';
import { prepareRun } from '../../runs/prepare-run.js';
import { executeReview, planReview } from '../../runs/scoring/review-run.js';
import type { RunFolder } from '../../runs/run-folder.js';
import { loadEnvironment } from '../../services/environment.js';
import { packageRoot } from '../../services/versions.js';
import { writeDatabaseReport } from '../../views/page/write-page.js';
import { executeWithDisplay, withSession } from '../shared/execute.js';

/** Of these, `replies.json` says how careless they are. */
const models = ['large', 'small'];
const reviewers = ['reviewer-a', 'reviewer-b', 'reviewer-c'];

/** Their opinions differ now and then, and some are unreadable, so that the tables have something to show. */
const judges = { judgeDisagrees: 0.06, judgeUnreadable: 0.04 };

/** A context in which the rows of the larger databases do not fit. */
const contextTokens = 8192;

/**
 * Asks the questions of examples/database-qa by every mode and two simulated models, has the answers judged and reviewed, and
 * writes a page with all tables. A repeated command continues what was interrupted.
 */
export async function databaseDemo(): Promise<void> {
  const environment = loadEnvironment();
  const example = join(packageRoot, 'examples/database-qa');
  const script = join(example, 'replies.json');
  const dataset = join(example, 'questions.jsonl');
  const text = readFileSync(dataset, 'utf8');
  // Part of the ids: a changed example is asked anew.
  const edition = createHash('sha256')
    .update([text, readFileSync(script, 'utf8'), promptVersion].join('\n'))
    .digest('hex')
    .slice(0, 8);
  const endpoint = await startSimulatedModel({ script, ...judges });
  try {
    await withSession(environment, async (session) => {
      const folders: RunFolder[] = [];
      for (const { model, method } of agents) {
        const run = await prepareRun({
          home: environment.TURNWISE_HOME,
          storage: storageOf(environment),
          run: runIdSchema.parse(`${model}-${method}-${edition}`),
          dataset: { path: dataset, text },
          store: null,
          config: configOf(model, method, endpoint.url),
        });
        folders.push(run.folder);
        console.error(`${model}, ${method}: ${run.manifest.dataset.items} questions`);
        await executeWithDisplay(session, environment, run);
        const review = await planReview(run.folder, reviewOf(endpoint.url));
        const limits = { concurrency: 32, budget: noCap };
        await executeReview(session, run.folder, review, limits);
      }
      const report = await reportOnRuns(folders, {});
      const page = join(environment.TURNWISE_HOME, 'example-database-qa.html');
      const { file } = await writeDatabaseReport(report, page);
      console.log('All models are simulated: their figures test the software, not a model.');
      console.log(`runs    ${folders.map(({ run }) => run).join('\n        ')}`);
      console.log(`tables  ${file}`);
    });
  } finally {
    await endpoint.close();
  }
}

const agents = models.flatMap((model) => databaseModes.map((method) => ({ model, method })));

const configOf = (model: string, method: RunConfig['method'], baseUrl: string): RunConfig => ({
  ...defaultRunConfig,
  method,
  model: simulated(model, baseUrl),
  contextTokens,
  concurrency: 16,
  judging: {
    models: [simulated('judge', baseUrl, defaultJudging.temperature)],
    combination: defaultJudging.combination,
    tries: defaultJudging.tries,
  },
});

function reviewOf(baseUrl: string): ReviewConfig {
  const members = reviewers.map((name) => simulated(name, baseUrl, defaultReview.temperature));
  const { tries, seed, orderCheck } = defaultReview;
  return { reviewers: members, metaReviewers: members, tries, seed, orderCheck };
}

const simulated = (
  name: string,
  baseUrl: string,
  temperature: number = defaultRunConfig.model.temperature,
): ModelConfig => ({
  ...defaultRunConfig.model,
  ...{ name, baseUrl, temperature },
  price: { input: 0, output: 0 },
});
