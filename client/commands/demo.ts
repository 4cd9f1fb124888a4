import type { CommandLine } from './shared/command-line.js';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Argument } from 'commander';
import { databaseModes } from '../../domain/agent/database-qa/answer-trace.js';
import { promptVersion } from '../../domain/agent/prompts/prompt-texts.js';
import { noCap } from '../../domain/budget/amount.js';
import { runIdSchema, storeNameSchema, type RunId } from '../../domain/ids.js';
import { addressOf } from '../../domain/model-api.js';
import type { ModelConfig } from '../../domain/models/model-settings.js';
import { defaultRunConfig, type RunConfig } from '../../domain/runs/run-config.js';
import { resultsFile } from '../../domain/runs/run-manifest.js';
import { defaultModel } from '../../domain/runs/run-options.js';
import { defaultJudging } from '../../domain/scoring/judging/judging-config.js';
import { defaultReview, type ReviewConfig } from '../../domain/scoring/review/panel.js';
import { storageOf, type Environment } from '../../domain/settings.js';
import { startSimulatedModel } from '../../simulator/simulated-model.js';
import { prepareRun } from '../runs/prepare-run.js';
import type { RunFolder } from '../runs/run-folder.js';
import { executeReview, planReview } from '../runs/scoring/review-run.js';
import { ledgerOf, readRun } from '../runs/scoring/run-scores.js';
import { ingestPapers } from '../runs/stores/store-workflows.js';
import { embedderFor, openStore } from '../runs/stores/store-files.js';
import { loadEnvironment } from '../services/environment.js';
import type { Session } from '../services/session.js';
import { runPage } from '../services/ensure-services.js';
import { packageRoot } from '../services/programs.js';
import { endReport, resultsTable } from '../views/end-report.js';
import { writeReport } from '../views/page/write-page.js';
import { exitStatusOf } from '../views/print-summary.js';
import { executeWithDisplay, withSession } from './shared/execute.js';
import { isConfigured, modelConfigOf } from './shared/model-options.js';
import { note, print } from '../services/tell.js';

const store = storeNameSchema.parse('examples');

export function registerDemo(program: CommandLine): void {
  program
    .command('demo')
    .description(
      'asks the questions of an example, over papers that it ingests or over databases, scores the answers, writes a report',
    )
    .addArgument(new Argument('[example]').choices(['papers', 'database-qa']).default('papers'))
    .action((example) => (example === 'papers' ? demo() : databaseDemo()));
}

/** Part of the id of a run: a changed example is asked anew instead of being refused as another run. */
const editionOf = (...parts: readonly string[]): string =>
  createHash('sha256')
    .update([...parts, promptVersion].join('\n'))
    .digest('hex')
    .slice(0, 8);

async function demo(): Promise<void> {
  const environment = loadEnvironment();
  const examples = join(packageRoot, 'examples');
  const papers = readdirSync(join(examples, 'papers'))
    .filter((name) => name.endsWith('.pdf'))
    .map((name) => join(examples, 'papers', name));
  await withSession(environment, async (session) => {
    note(`reading ${papers.length} papers into store ${store}`);
    const embedder = await embedderFor(environment, store);
    await ingestPapers(session, environment, store, papers, { embedder });
    await withModel(environment, examples, async (model) => {
      const dataset = join(examples, 'questions.jsonl');
      const text = readFileSync(dataset, 'utf8');
      const manifest = await openStore(environment, store);
      const edition = editionOf(text, manifest.fingerprint);
      const run = await prepareRun({
        home: environment.TURNWISE_HOME,
        storage: storageOf(environment),
        run: runIdSchema.parse(`demo-${model.config.name.replace(/[^\w.-]+/g, '-')}-${edition}`),
        dataset: { path: dataset, text },
        store: manifest,
        config: { ...defaultRunConfig, model: model.config, concurrency: 4 },
      });
      note(
        `asking ${run.manifest.dataset.items} questions about them; their run is ${run.manifest.run}`,
      );
      const totals = await executeWithDisplay(session, environment, run);
      const samples = run.manifest.dataset.items;
      const results = await run.folder.results();
      const { price } = run.manifest.config.model;
      print(`\n${await resultsTable(run.folder, process.stdout.columns || 120)}\n`);
      print(
        `${endReport({ samples, totals, results, price, ledger: ledgerOf(await readRun(run.folder)) })}\n${model.notice}\n`,
      );
      const report = await writeReport([run.folder], run.folder.reportPath);
      print(`results      ${run.folder.path}/${resultsFile}`);
      print(`report       ${report.file}`);
      print(`Temporal UI  ${whereToLook(session, environment, run.manifest.run)}`);
      process.exitCode = exitStatusOf(totals);
    });
  });
}

function whereToLook({ services, client }: Session, environment: Environment, run: RunId): string {
  const page = runPage({ ...environment, ...services }, client.home, run);
  if (page === null) return 'that of your Temporal server';
  return services.startedHere ? `${page} (while \`npx turnwise up\` runs)` : page;
}

interface DemoModel {
  readonly config: RunConfig['model'];
  readonly notice: string;
}

/** The user's model where one is configured, else scripted replies behind a real endpoint. */
async function withModel(
  environment: Environment,
  examples: string,
  work: (model: DemoModel) => Promise<void>,
): Promise<void> {
  if (isConfigured(environment, 'chat')) {
    const baseUrl = addressOf(environment, 'chat');
    await work({
      config: modelOf(defaultModel, baseUrl),
      notice: `the model was asked at ${baseUrl}`,
    });
    return;
  }
  const endpoint = await startSimulatedModel({ script: join(examples, 'replies.json') });
  try {
    await work({
      config: { ...modelOf('simulated', endpoint.url), price: { input: 0, output: 0 } },
      notice:
        'No language model was asked: the replies are scripted, their SQL and searches are real. Set OPENAI_API_KEY to ask one.',
    });
  } finally {
    await endpoint.close();
  }
}

const modelOf = (name: string, baseUrl: string): RunConfig['model'] =>
  modelConfigOf(
    { model: name, modelTimeout: defaultRunConfig.model.timeoutMs / 1000, cache: false },
    { endpoints: { api: 'chat', addressOf: () => baseUrl }, strict: defaultRunConfig.strict },
  );

/** Of these, `replies.json` of examples/database-qa says how careless they are. */
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
async function databaseDemo(): Promise<void> {
  const environment = loadEnvironment();
  const example = join(packageRoot, 'examples/database-qa');
  const script = join(example, 'replies.json');
  const dataset = join(example, 'questions.jsonl');
  const text = readFileSync(dataset, 'utf8');
  const edition = editionOf(text, readFileSync(script, 'utf8'));
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
        note(`${model}, ${method}: ${run.manifest.dataset.items} questions`);
        await executeWithDisplay(session, environment, run);
        const review = await planReview(run.folder, reviewOf(endpoint.url));
        const limits = { concurrency: 32, budget: noCap };
        await executeReview(session, run.folder, review, limits);
      }
      const page = join(environment.TURNWISE_HOME, 'example-database-qa.html');
      const { file } = await writeReport(folders, page);
      print('All models are simulated: their figures test the software, not a model.');
      print(`runs    ${folders.map(({ run }) => run).join('\n        ')}`);
      print(`tables  ${file}`);
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
