import { readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { Option, type Command } from 'commander';
import { runIdSchema, type RunId } from '../../domain/ids.js';
import { defaultRunConfig, paidModels, type RunConfig } from '../../domain/runs/run-config.js';
import { resultsFile } from '../../domain/runs/run-layout.js';
import type { Environment } from '../../domain/settings.js';
import { chooseQuestions, type QuestionChoice } from '../choose-questions.js';
import { endReport } from '../end-report.js';
import type { Fork } from '../fork-run.js';
import { loadEnvironment } from '../environment.js';
import { executeRun, startOrTune } from '../execute-run.js';
import { exitStatusOf } from '../run-exit-status.js';
import { addLimitOptions, requirePrice, tuningOf, type LimitFlags } from '../limit-options.js';
import { decimal, wholeNumber } from '../number-argument.js';
import { parseArgument } from '../parse-argument.js';
import { planRun, writeRun, type RunPlan, type RunRequest } from '../prepare-run.js';
import { progressDisplay } from '../progress-display.js';
import { requireGraphProgram } from '../require-graph-program.js';
import {
  addSharedRunOptions,
  runConfigOf,
  type RunLimit,
  type SharedRunFlags,
} from '../run-options.js';
import { runEstimateText } from '../run-estimate.js';
import { runLedger } from '../run-ledger.js';
import { runPage } from '../run-page.js';
import { samplesOf } from '../run-folder.js';
import { withServices } from '../session.js';
import { openStore } from '../store-files.js';
import { isYes } from '../yes-or-no.js';
import { exitStatus, UserError } from '../user-error.js';

interface RunFlags extends SharedRunFlags, LimitFlags {
  readonly run?: RunId;
  readonly epochs: number;
  readonly limit?: number;
  readonly sample?: number;
  readonly seed: number;
  readonly questionBudgetUsd?: number;
  readonly questionBudgetTokens?: number;
  readonly questionTimeLimit?: number;
  readonly onFailure: RunConfig['onFailure'];
  readonly fork?: true;
  readonly yes?: true;
  readonly detach?: true;
  readonly json?: true;
}

export function registerRun(program: Command): void {
  addLimitOptions(
    addSharedRunOptions(
      program
        .command('run')
        .description('ask every question of a dataset; the same run id again continues it')
        .argument('<dataset>', 'questions, one JSON object a line'),
    ),
  )
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
    .option('--seed <n>', 'of --sample', wholeNumber(0, Number.MAX_SAFE_INTEGER), 1)
    .option('--question-budget-usd <n>', 'what each question may cost', decimal(0.000001, 1e6))
    .option('--question-budget-tokens <n>', 'tokens each question may use', wholeNumber(1, 1e9))
    .option('--question-time-limit <seconds>', 'for each question', decimal(0.001, 1e7))
    .addOption(
      new Option('--on-failure <what>', 'a question all of whose tries have failed ends, or waits')
        .choices(['end', 'wait'])
        .default(defaultRunConfig.onFailure),
    )
    .option(
      '--fork',
      'where the run was started differently, start another that keeps the turns this does not change',
    )
    .option('--yes', 'start without asking; nobody is asked where there is no terminal')
    .option('--detach', 'return as soon as the run has started')
    .option('--json', 'print the totals as one JSON document')
    .action(runDataset);
}

async function runDataset(dataset: string, flags: RunFlags): Promise<void> {
  const environment = loadEnvironment();
  const config = runConfigOf(flags, environment, limitsOf(flags));
  requireGraphProgram(config.method, environment);
  const tuning = tuningOf(flags);
  const budget = { budgetUsd: tuning.budgetUsd ?? flags.questionBudgetUsd };
  for (const paid of paidModels(config)) requirePrice(paid, budget);
  const request: RunRequest = {
    home: environment.TURNWISE_HOME,
    run: flags.run ?? defaultRunId(dataset, flags),
    dataset: { path: dataset, text: chooseQuestions(readText(dataset), choiceOf(flags)) },
    store: openStore(environment.TURNWISE_HOME, flags.store),
    config,
    tuning,
    fork: flags.fork ?? false,
  };
  const plan = planRun(request);
  for (const note of plan.notes) console.error(note);
  if (plan.fork) console.error(forkText(plan.fork, samplesOf(plan.manifest)));
  if (!(await isWanted(plan, environment, flags))) {
    console.error('nothing was started');
    process.exitCode = exitStatus.badInput;
    return;
  }
  const { folder, manifest, kind } = writeRun(plan, request);
  // A new run begins with them.
  const changed = kind === 'new' ? {} : tuning;
  console.error(
    `${kind === 'new' ? 'starting' : 'continuing'} run ${manifest.run} in ${folder.path}`,
  );
  await withServices(environment, async (session) => {
    const page = runPage(session.services, environment, manifest.run);
    if (page !== null) console.error(`watch it at ${page}`);
    if (flags.detach) {
      if (session.services.startedHere) {
        throw new UserError(
          'with --detach nothing would be left to do the work: start `turnwise up` in another terminal first',
        );
      }
      await startOrTune(session.client, environment, manifest, changed);
      console.log(
        `started run ${manifest.run}; \`turnwise status ${manifest.run}\` shows where it is, with --watch until it ends`,
      );
      return;
    }
    const display = progressDisplay(session.client, manifest.run, folder);
    const totals = await executeRun(session, environment, manifest, display, changed).finally(() =>
      display.finish(),
    );
    console.log(
      flags.json
        ? JSON.stringify({ run: manifest.run, folder: folder.path, totals }, null, 1)
        : `${endReport({ samples: samplesOf(manifest), totals, results: folder.results(), ledger: runLedger(folder) })}\nresults: ${join(folder.path, resultsFile)}`,
    );
    process.exitCode = exitStatusOf(totals);
  });
}

const forkText = ({ from, kept, ended }: Fork, samples: number): string =>
  kept.length === 0
    ? `nothing of run ${from.run} can be kept: what differs may change every answer`
    : `of ${samples} questions, ${kept.length} are the same in run ${from.run}: their turns are kept and cost nothing again, and ${ended} of them had ended`;

/** Shows what the run will take, and asks on a terminal whether to start it. */
async function isWanted(
  plan: RunPlan,
  { TURNWISE_HOME }: Environment,
  { yes }: RunFlags,
): Promise<boolean> {
  const estimate = await runEstimateText(plan, TURNWISE_HOME);
  if (estimate === null) return true;
  console.error(estimate);
  if (yes === true || !process.stdin.isTTY) return true;
  return isYes(plan.kind === 'new' ? 'Start?' : 'Go on?');
}

function defaultRunId(dataset: string, { method, model }: SharedRunFlags): RunId {
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

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UserError(`the dataset ${path} cannot be read: ${reason}`);
  }
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
  };
}

function choiceOf({ limit, sample, seed }: RunFlags): QuestionChoice {
  if (sample !== undefined) return { kind: 'sample', count: sample, seed };
  return limit === undefined ? { kind: 'all' } : { kind: 'first', count: limit };
}
