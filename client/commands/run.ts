import type { CommandLine } from './shared/command-line.js';
import { relative } from 'node:path';
import { methodNeeds, methodOf } from '../../domain/agent/methods.js';
import { runIdSchema } from '../../domain/ids.js';
import { flag, option, rare, whole, type FlagsOf } from '../../domain/option.js';
import {
  defaultRunConfig,
  defaultRunId,
  paidModels,
  usualConcurrency,
} from '../../domain/runs/run-config.js';
import {
  questionLimitOptions,
  sharedRunOptions,
  skipOption,
} from '../../domain/runs/run-options.js';
import { storageOf, type Environment } from '../../domain/settings.js';
import { UserError } from '../../domain/user-error.js';
import { scoredBy } from '../runs/scoring/score-answers.js';
import { scorersOf } from '../runs/own-code.js';
import { chooseQuestions, databaseNamed, type QuestionChoice } from '../runs/choose-samples.js';
import { planRun, requireRecorded, type RunPlan, type RunRequest } from '../runs/prepare-run.js';
import { RunFolder } from '../runs/run-folder.js';
import { storeOfQuestions } from '../runs/stores/store-files.js';
import { loadEnvironment } from '../services/environment.js';
import { readLinesFile } from '../services/read-file.js';
import {
  launchOptions,
  launchRun,
  requireGraphProgram,
  type LaunchFlags,
} from './shared/launch-run.js';
import { requirePrice } from '../runs/steering/budget-price.js';
import { limitOptions, tuningOf } from '../runs/steering/tuning-options.js';
import {
  addSharedRunOptions,
  ownScorerIn,
  pluginsOf,
  programOption,
  questionLimitsOf,
  runConfigOf,
  type RunLimits,
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
      'of --sample: the same one draws the same questions (default: 1)',
      whole(0, Number.MAX_SAFE_INTEGER).optional(),
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
      ['model', 'temperature', 'topP', 'maxTokens', 'modelSeed', 'reasoningEffort', 'batch'],
    ),
  ),
};

const limits = { ...limitOptions, ...questionLimitOptions, ...scorerOptions };

/** What says how a run asks its questions; `launchOptions` say how the command starts it. */
export const runOptions = { ...partOptions, ...sharedRunOptions, ...limits, ...otherOptions };
export type RunFlags = FlagsOf<typeof runOptions>;

export function registerRun(program: CommandLine): void {
  const command = program
    .command('run')
    .description('ask every question of a dataset; the same run id again continues it')
    .argument('<dataset>', 'questions, one JSON object a line');
  command.optionsGroup('Run:').takes(partOptions);
  addSharedRunOptions(command);
  command.optionsGroup('Limits:').takes(limits);
  command.optionsGroup('Run:').takes(otherOptions);
  command.optionsGroup('Start and output:').takes(launchOptions).action(runDataset);
}

async function runDataset(path: string, flags: RunFlags & LaunchFlags): Promise<void> {
  const environment = loadEnvironment();
  const asked = { path, command: process.argv.slice(2) };
  const { plan, request } = await plannedRun(asked, flags, environment);
  await launchRun(plan, request, environment, flags);
}

interface AskedDataset {
  readonly path: string;
  /** Its text, where `path` is no file. */
  readonly questions?: string;
  /** As `command` of the request. */
  readonly command?: readonly string[];
}

/** The run of these options. Throws UserError before anything is written or spent. */
export async function plannedRun(
  { path, questions, command }: AskedDataset,
  flags: RunFlags,
  environment: Environment,
): Promise<{ readonly plan: RunPlan; readonly request: RunRequest }> {
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
  if (flags.skipBadDatabases && methodNeeds(methodOf(config)).reads !== 'database') {
    throw new UserError(`--skip-bad-databases has no effect with ${config.method}: leave it out`);
  }
  const tuning = tuningOf(flags);
  const budget = { budgetUsd: tuning.budgetUsd ?? flags.questionBudgetUsd };
  for (const paid of paidModels(config)) requirePrice(paid, budget);
  const text = questions ?? readLinesFile(path, `the dataset ${path}`);
  const choice = choiceOf(flags);
  const own = scorersOf(plugins);
  const chosen = chooseQuestions(text, choice, own);
  const home = environment.TURNWISE_HOME;
  const part = choice.kind === 'all' ? undefined : choice;
  const database = databaseNamed(chosen, own);
  const store = await storeOfQuestions(environment, { store: flags.store, database }, config);
  const dataset =
    questions === undefined ? { dataset: relative(home, path) } : { dataset: path, questions };
  const request: RunRequest = {
    home,
    storage: storageOf(environment),
    run: flags.run ?? defaultRunId({ ...dataset, part, store: store?.name, config }),
    dataset: { path, text: scorer === null ? chosen : scoredBy(scorer, chosen) },
    store,
    ...(part && { part }),
    ...(command && { command }),
    skipBadDatabases: flags.skipBadDatabases ?? false,
    config,
    plugins,
    tuning,
    fork: flags.fork ?? false,
  };
  const plan = await planRun(request);
  if (replayed) await requireRecorded(replayed, plan);
  return { plan, request };
}

function limitsOf(flags: RunFlags): RunLimits {
  const { concurrency, budgetUsd, budgetTokens, deadline = null } = tuningOf(flags);
  return {
    epochs: flags.epochs,
    concurrency: concurrency ?? usualConcurrency(flags.batch),
    budget: { usd: budgetUsd ?? null, tokens: budgetTokens ?? null },
    deadline,
    ...questionLimitsOf(flags),
  };
}

function choiceOf({ limit, sample, seed }: RunFlags): QuestionChoice {
  if (sample !== undefined) return { kind: 'sample', count: sample, seed: seed ?? 1 };
  if (seed !== undefined) throw new UserError('--seed needs --sample');
  return limit === undefined ? { kind: 'all' } : { kind: 'first', count: limit };
}
