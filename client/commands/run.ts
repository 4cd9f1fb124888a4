import { relative } from 'node:path';
import type { Command } from 'commander';
import { runIdSchema } from '../../domain/ids.js';
import { flag, option, rare, whole, type FlagsOf } from '../../domain/option.js';
import {
  defaultRunConfig,
  defaultRunId,
  paidModels,
  type RunConfig,
} from '../../domain/runs/run-config.js';
import {
  questionLimitOptions,
  skipOption,
  type QuestionLimitFlags,
  type SharedRunFlags,
} from '../../domain/runs/run-options.js';
import { storageOf } from '../../domain/settings.js';
import { scoredBy } from '../runs/scoring/score-answers.js';
import { scorersOf } from '../runs/own-code.js';
import { chooseQuestions, databaseNamed, type QuestionChoice } from '../runs/choose-samples.js';
import { planRun, requireRecorded, type RunRequest } from '../runs/prepare-run.js';
import { RunFolder } from '../runs/run-folder.js';
import { storeOfQuestions } from '../runs/stores/store-files.js';
import { loadEnvironment } from '../services/environment.js';
import { readLinesFile } from '../services/read-file.js';
import { addOptions } from './shared/arguments.js';
import {
  launchOptions,
  launchRun,
  requireGraphProgram,
  type LaunchFlags,
} from './shared/launch-run.js';
import { requirePrice } from '../runs/steering/budget-price.js';
import { limitOptions, tuningOf, type LimitFlags } from './shared/limit-options.js';
import {
  addSharedRunOptions,
  ownScorerIn,
  pluginsOf,
  programOption,
  questionLimitsOf,
  runConfigOf,
  type RunLimit,
} from './shared/run-options.js';

const partOptions = {
  run: option('<id>', 'its name (default: made of what is asked)', runIdSchema.optional()),
  epochs: option(
    '<n>',
    'times each question is asked',
    whole(1, 1000).default(defaultRunConfig.epochs),
  ),
  limit: option('<n>', 'the first n questions only', whole(1, 1_000_000).optional()),
  sample: option('<n>', 'n questions drawn by --seed', whole(1, 1_000_000).optional(), ['limit']),
  seed: rare(
    option(
      '<n>',
      'of --sample: the same one draws the same questions',
      whole(0, Number.MAX_SAFE_INTEGER).default(1),
    ),
  ),
};

const scorerOptions = {
  scorer: option('<name>', 'of a --plugin, for all answers'),
  ...programOption,
};

const otherOptions = {
  ...skipOption,
  fork: rare(
    flag(
      'where the run was started differently, start another that keeps the turns this does not change',
    ),
  ),
  replay: rare(
    option(
      '<run>',
      'ask no model: repeat what it said in that run, to try a parser, a scorer or a report',
      runIdSchema.optional(),
      ['model', 'temperature', 'topP', 'maxTokens', 'modelSeed', 'reasoningEffort'],
    ),
  ),
};

type RunFlags = SharedRunFlags &
  LimitFlags &
  QuestionLimitFlags &
  LaunchFlags &
  FlagsOf<typeof partOptions & typeof scorerOptions & typeof otherOptions>;

export function registerRun(program: Command): void {
  const command = program
    .command('run')
    .description('ask every question of a dataset; the same run id again continues it')
    .argument('<dataset>', 'questions, one JSON object a line');
  addOptions(command.optionsGroup('Run:'), partOptions);
  addSharedRunOptions(command);
  addOptions(command.optionsGroup('Limits:'), {
    ...{ ...limitOptions, ...questionLimitOptions, ...scorerOptions },
  });
  addOptions(command.optionsGroup('Run:'), otherOptions);
  addOptions(command.optionsGroup('Start and output:'), launchOptions).action(runDataset);
}

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
  const text = readLinesFile(dataset, `the dataset ${dataset}`);
  const choice = choiceOf(flags);
  const own = scorersOf(plugins);
  const chosen = chooseQuestions(text, choice, own);
  const home = environment.TURNWISE_HOME;
  const part = choice.kind === 'all' ? undefined : choice;
  const asked = { store: flags.store, database: databaseNamed(chosen, own) };
  const store = await storeOfQuestions(environment, asked, config);
  const request: RunRequest = {
    home,
    storage: storageOf(environment),
    run:
      flags.run ??
      defaultRunId({ dataset: relative(home, dataset), part, store: store?.name, config }),
    dataset: { path: dataset, text: scorer === null ? chosen : scoredBy(scorer, chosen) },
    store,
    ...(part && { part }),
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

function limitsOf(flags: RunFlags): Partial<Pick<RunConfig, RunLimit>> {
  const { concurrency, budgetUsd, budgetTokens, deadline = null } = tuningOf(flags);
  return {
    epochs: flags.epochs,
    concurrency: concurrency ?? defaultRunConfig.concurrency,
    budget: { usd: budgetUsd ?? null, tokens: budgetTokens ?? null },
    deadline,
    ...questionLimitsOf(flags),
  };
}

function choiceOf({ limit, sample, seed }: RunFlags): QuestionChoice {
  if (sample !== undefined) return { kind: 'sample', count: sample, seed };
  return limit === undefined ? { kind: 'all' } : { kind: 'first', count: limit };
}
