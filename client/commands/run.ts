import { basename, extname } from 'node:path';
import { Option, type Command } from 'commander';
import { runIdSchema, type RunId } from '../../domain/ids.js';
import { defaultRunConfig, paidModels, type RunConfig } from '../../domain/runs/run-config.js';
import { storageOf } from '../../domain/settings.js';
import { scoredBy } from '../runs/scoring/score-answers.js';
import { scorersOf } from '../runs/own-code.js';
import { chooseQuestions, type QuestionChoice } from '../runs/choose-samples.js';
import { planRun, requireRecorded, type RunRequest } from '../runs/prepare-run.js';
import { RunFolder } from '../runs/run-folder.js';
import { openStore } from '../runs/stores/store-files.js';
import { loadEnvironment } from '../services/environment.js';
import { readTextFile } from '../services/read-file.js';
import { decimal, parseArgument, wholeNumber } from './shared/arguments.js';
import { addExamples } from './shared/command-line.js';
import {
  addLaunchOptions,
  launchRun,
  requireGraphProgram,
  type LaunchFlags,
} from './shared/launch-run.js';
import { requirePrice } from '../runs/steering/budget-price.js';
import { addLimitOptions, tuningOf, type LimitFlags } from './shared/limit-options.js';
import {
  ownScorerIn,
  pluginsOf,
  programOption,
  type OwnScorerFlags,
} from './shared/plugin-options.js';
import {
  addSharedRunOptions,
  runConfigOf,
  type RunLimit,
  type SharedRunFlags,
} from './shared/run-options.js';

interface RunFlags extends SharedRunFlags, OwnScorerFlags, LimitFlags, LaunchFlags {
  readonly run?: RunId;
  readonly epochs: number;
  readonly limit?: number;
  readonly sample?: number;
  readonly seed: number;
  readonly questionBudgetUsd?: number;
  readonly questionBudgetTokens?: number;
  readonly questionTimeLimit?: number;
  readonly onFailure: RunConfig['onFailure'];
  readonly holdAfter: number;
  readonly fork?: true;
  readonly skipBadDatabases?: true;
  readonly replay?: RunId;
}

export function registerRun(program: Command): void {
  const command = program
    .command('run')
    .description('ask every question of a dataset; the same run id again continues it')
    .argument('<dataset>', 'questions, one JSON object a line');
  addRunOptions(addLimitOptions(addSharedRunOptions(addPartOptions(command))));
  addExamples(addLaunchOptions(command), [
    'turnwise run questions.jsonl --store mine --sample 20 --dry-run',
    'turnwise run questions.jsonl --store mine --model gpt-4o-mini --budget-usd 5 --run first',
    'turnwise run questions.jsonl --store mine --run first --budget-usd 10',
    'turnwise run plain.jsonl --method trivial_question_only --epochs 3',
  ]).action(runDataset);
}

const addPartOptions = (command: Command): Command =>
  command
    .optionsGroup('Run:')
    .option(
      '--run <id>',
      'the run (default: dataset, method, model and date)',
      parseArgument(runIdSchema),
    )
    .option(
      '--epochs <n>',
      'times each question is asked',
      wholeNumber(1, 1000),
      defaultRunConfig.epochs,
    )
    .option('--limit <n>', 'the first n questions only', wholeNumber(1, 1_000_000))
    .addOption(
      new Option('--sample <n>', 'n questions drawn by --seed, the same ones every time')
        .argParser(wholeNumber(1, 1_000_000))
        .conflicts('limit'),
    )
    .option('--seed <n>', 'of --sample', wholeNumber(0, Number.MAX_SAFE_INTEGER), 1);

const addRunOptions = (command: Command): Command =>
  command
    .option('--question-budget-usd <n>', 'what each question may cost', decimal(0.000001, 1e6))
    .option('--question-budget-tokens <n>', 'tokens each question may use', wholeNumber(1, 1e9))
    .option('--question-time-limit <seconds>', 'for each question', decimal(0.001, 1e7))
    .addOption(
      new Option(
        '--on-failure <what>',
        'when retries are exhausted for a reason outside of a question, it waits, or ends as infra-error',
      )
        .choices(['end', 'wait'])
        .default(defaultRunConfig.onFailure),
    )
    .option(
      '--hold-after <n>',
      'equal failures in a row that hold the run',
      wholeNumber(1, 1000),
      defaultRunConfig.holdAfter,
    )
    .option(
      '--scorer <name>',
      'a scorer of a --plugin that scores every answer (default: the evaluator of each question)',
    )
    .option(...programOption)
    .optionsGroup('Run:')
    .option('--skip-bad-databases', 'leave out questions whose database cannot be read')
    .option(
      '--fork',
      'where the run was started differently, start another that keeps the turns this does not change',
    )
    .addOption(
      new Option(
        '--replay <run>',
        'ask no model: repeat what it said in that run, to try a parser, a scorer or a report',
      )
        .argParser(parseArgument(runIdSchema))
        .conflicts(['model', 'temperature', 'topP', 'maxTokens', 'modelSeed', 'reasoningEffort']),
    );

async function runDataset(dataset: string, flags: RunFlags): Promise<void> {
  const environment = loadEnvironment();
  const replayed = flags.replay ? RunFolder.of(environment, flags.replay) : null;
  const plugins = await pluginsOf(flags, environment);
  const scorer = ownScorerIn(flags, plugins);
  const config = runConfigOf(
    flags,
    environment,
    limitsOf(flags),
    plugins,
    await replayed?.manifest(),
  );
  requireGraphProgram(config, environment);
  const tuning = tuningOf(flags);
  const budget = { budgetUsd: tuning.budgetUsd ?? flags.questionBudgetUsd };
  for (const paid of paidModels(config)) requirePrice(paid, budget);
  const text = readTextFile(dataset, `the dataset ${dataset}`);
  const choice = choiceOf(flags);
  const chosen = chooseQuestions(text, choice, scorersOf(plugins));
  const request: RunRequest = {
    home: environment.TURNWISE_HOME,
    storage: storageOf(environment),
    run: flags.run ?? defaultRunId(dataset, flags),
    dataset: { path: dataset, text: scorer === null ? chosen : scoredBy(scorer, chosen) },
    store: flags.store === undefined ? null : await openStore(environment, flags.store),
    ...(choice.kind !== 'all' && { part: choice }),
    command: process.argv.slice(2),
    skipBadDatabases: flags.skipBadDatabases ?? false,
    config,
    plugins,
    tuning,
    fork: flags.fork ?? false,
  };
  const plan = await planRun(request);
  if (replayed) await requireRecorded(replayed, plan);
  await launchRun(plan, request, environment, flags);
}

/** Made of dataset, method, model and date. */
export function defaultRunId(
  dataset: string,
  { method, model, replay }: Pick<RunFlags, 'method' | 'model' | 'replay'>,
): RunId {
  if (replay !== undefined) return runIdSchema.parse(`${replay.slice(0, 73)}-replay`);
  const parts = [basename(dataset, extname(dataset)), method, model];
  const date = new Date().toISOString().slice(0, 10);
  return runIdSchema.parse(
    `${parts
      .join('-')
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 69)}-${date}`,
  );
}

function limitsOf(flags: RunFlags): Partial<Pick<RunConfig, RunLimit>> {
  const tuning = tuningOf(flags);
  const { questionTimeLimit } = flags;
  return {
    epochs: flags.epochs,
    concurrency: tuning.concurrency ?? defaultRunConfig.concurrency,
    budget: { usd: tuning.budgetUsd ?? null, tokens: tuning.budgetTokens ?? null },
    questionBudget: {
      usd: flags.questionBudgetUsd ?? null,
      tokens: flags.questionBudgetTokens ?? null,
    },
    questionTimeLimitMs:
      questionTimeLimit === undefined ? null : Math.round(questionTimeLimit * 1000),
    deadline: tuning.deadline ?? null,
    onFailure: flags.onFailure,
    holdAfter: flags.holdAfter,
  };
}

function choiceOf({ limit, sample, seed }: RunFlags): QuestionChoice {
  if (sample !== undefined) return { kind: 'sample', count: sample, seed };
  return limit === undefined ? { kind: 'all' } : { kind: 'first', count: limit };
}
