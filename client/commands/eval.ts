import type { CommandLine } from './shared/command-line.js';
import { mkdirSync } from 'node:fs';
import { dirname, join, parse, resolve } from 'node:path';
import { databaseModes } from '../../domain/agent/database-qa/answer-trace.js';
import { isCapped, sum, type Amount } from '../../domain/budget/amount.js';
import {
  cellBudget,
  compareCells,
  type EvaluationComparison,
  type Cell,
  type Evaluation,
} from '../../domain/evaluations/evaluation.js';
import { evaluationJsonSchema } from '../../domain/evaluations/evaluation-file.js';
import { counted } from '../../domain/formats/text.js';
import { groupBy } from '../../domain/statistics/means.js';
import { runIdOf, type RunId } from '../../domain/ids.js';
import { flag, flagsOf, type FlagsOf, formatOptions, option } from '../../domain/option.js';
import {
  paidModels,
  usualConcurrency,
  tunedConfig,
  type RunConfig,
} from '../../domain/runs/run-config.js';
import type { RunManifest } from '../../domain/runs/run-manifest.js';
import {
  idleOptions,
  questionLimitOptions,
  sharedRunOptions,
} from '../../domain/runs/run-options.js';
import { outsideFailures } from '../../domain/runs/run-totals.js';
import type { Environment } from '../../domain/settings.js';
import { exitStatus, UserError } from '../../domain/user-error.js';
import { cellTuning, planCells, type PlannedCell } from '../runs/evaluations/plan-evaluation.js';
import { readEvaluationFile } from '../runs/evaluations/read-evaluation.js';
import { runsOfEvaluation, spentAmounts } from '../runs/evaluations/spent-amounts.js';
import { givenPlugins, type LoadedPlugin } from '../runs/own-code.js';
import { writeRun } from '../runs/prepare-run.js';
import { isOpenRun } from '../runs/probe-models.js';
import { comparedRun } from '../runs/scoring/compared-runs.js';
import { requirePrice } from '../runs/steering/budget-price.js';
import { loadEnvironment } from '../services/environment.js';
import type { Session } from '../services/session.js';
import { note, tell, warn } from '../services/tell.js';
import {
  evaluationJson,
  evaluationSections,
  evaluationWords,
  spentText,
} from '../views/sections/evaluation.js';
import { printSections, tellSections } from '../views/print-sections.js';
import { evaluationForecast, forecastJson, forecastOf } from '../views/estimates/run-estimate.js';
import { writeEvaluation, writeReport } from '../views/page/write-page.js';
import { totalsOf } from '../views/end-report.js';
import { isAsked, isToStart, watchWithDisplay, withSession } from './shared/execute.js';
import { requireGraphProgram } from './shared/launch-run.js';
import { probeOption, yesOption } from './shared/model-options.js';
import { ownScorerIn, questionLimitsOf, requireMethod, runConfigOf } from './shared/run-options.js';
import { probeBeforeStart } from './shared/probe-before-start.js';

const evalOptions = {
  dryRun: flag('show the runs and what they will take, and start nothing'),
  ...{ ...yesOption, ...probeOption },
  out: option('<file>', 'where to write the page (default: evaluations/NAME.html in the home)'),
  ...formatOptions,
  schema: flag('print the JSON schema of evaluation files, for editors'),
};
type EvalFlags = FlagsOf<typeof evalOptions>;

export function registerEval(program: CommandLine): void {
  program
    .command('eval')
    .description('ask every dataset of a file by every method with every model, and compare them')
    .argument('[file]', 'the evaluation, in YAML (`turnwise docs evaluations`)')
    .takes(evalOptions)
    .action(evaluate);
}

async function evaluate(file: string | undefined, flags: EvalFlags): Promise<void> {
  if (flags.schema) {
    process.stdout.write(evaluationJsonSchema());
    return;
  }
  if (file === undefined) {
    throw new UserError(
      'name the file of the evaluation; `turnwise docs evaluations` has an example',
    );
  }
  const evaluation = readEvaluationFile(file);
  const environment = loadEnvironment();
  const paths = (evaluation.file.plugins ?? []).map((path) => resolve(dirname(file), path));
  const plugins = await givenPlugins(paths, environment);
  const scorer = ownScorerIn(evaluation.file, plugins);
  requireEffect(evaluation, plugins);
  const cells = await planCells(
    evaluation,
    { environment, file, plugins, scorer, command: process.argv.slice(2) },
    (cell) => cellConfig(cell, evaluation, environment, plugins, dirname(file)),
  );
  for (const each of new Set(cells.flatMap(({ plan }) => plan.notes))) note(each);
  const spent = await spentOn(evaluation, environment);
  if (flags.dryRun || cells.some(({ isDone }) => !isDone)) {
    const forecast = await forecastOf(cells, environment.TURNWISE_HOME);
    const sections = evaluationForecast(evaluation, forecast, spent);
    if (flags.dryRun) {
      printSections(flags, {
        title: `Forecast of evaluation ${evaluation.name}`,
        sections,
        data: forecastJson(evaluation, forecast, spent),
      });
      return;
    }
    // Who is asked has to see it.
    tellSections(sections, isAsked(flags.yes));
    if (!(await isToStart(flags.yes))) return;
    await withSession(environment, (session) =>
      runCells(session, { evaluation, cells, environment, file, probe: flags.probe }),
    );
  }
  await tellResult(evaluation, cells, environment, flags);
}

const cellOptions = { ...sharedRunOptions, ...questionLimitOptions };

/** Throws UserError where no method of the file reads an option of its runs. */
function requireEffect({ file }: Evaluation, plugins: readonly LoadedPlugin[]): void {
  const own = plugins.map(({ plugin }) => plugin);
  const idle = file.methods.map((name) => idleOptions(requireMethod(name, own), file.run ?? {}));
  const useless = idle[0]?.find((option) => idle.every((each) => each.includes(option)));
  if (useless !== undefined) {
    throw new UserError(
      `\`${useless}\` of \`run\` has no effect with ${file.methods.join(' or ')}: leave it out`,
    );
  }
}

/**
 * The configuration of a cell's run, as `turnwise run` would have it from the same options.
 * @param folder - of the file
 * @throws UserError where a setting is refused, or a price is unknown that a budget needs
 */
function cellConfig(
  { method, model }: Cell,
  { file, epochs, budget }: Evaluation,
  environment: Environment,
  plugins: readonly LoadedPlugin[],
  folder: string,
): RunConfig {
  const { concurrency, judges, prompts, run = {} } = file;
  // They are for the other methods.
  const own = plugins.map(({ plugin }) => plugin);
  const idle = new Set<string>(idleOptions(requireMethod(method, own), run));
  const flags = flagsOf(cellOptions, {
    ...Object.fromEntries(Object.entries(run).filter(([name]) => !idle.has(name))),
    ...model,
    method,
    model: model.name,
    modelSeed: model.seed,
    judgeModel: judges?.models,
    // The same judges for all models, whatever their APIs.
    judgeApi: judges && (judges.api ?? environment.TURNWISE_API),
    judges: judges?.combination,
    judgeTries: judges?.tries,
    judgeEmpty: judges?.judgeEmpty,
    prompts: prompts && resolve(folder, prompts),
  });
  const limits = questionLimitsOf(flags);
  const config = runConfigOf(
    flags,
    environment,
    { epochs, concurrency: concurrency ?? usualConcurrency(run.batch), budget, ...limits },
    plugins,
  );
  requireGraphProgram(config, environment);
  const budgetUsd = budget.usd ?? limits.questionBudget.usd ?? undefined;
  for (const paid of paidModels(config)) {
    requirePrice(paid, { budgetUsd }, '', 'give a budget in `tokens`');
  }
  return config;
}

interface EvaluationToRun {
  readonly evaluation: Evaluation;
  readonly cells: readonly PlannedCell[];
  readonly environment: Environment;
  /** Of the evaluation, for messages. */
  readonly file: string;
  /** Whether each model is asked once before anything else. */
  readonly probe: boolean;
}

/**
 * Runs the cells that are not done, one after the other, each with what is left of the budget (docs/explanation/decisions/0027).
 * @throws UserError where a cell waits for somebody, was cancelled or cannot be started
 */
async function runCells(session: Session, asked: EvaluationToRun): Promise<void> {
  const { cells } = asked;
  const isOpen = await openRuns(session, asked);
  for (const { plan, request } of cells) {
    // All of them, so that `turnwise runs` shows the whole evaluation.
    if (plan.kind === 'new') await writeRun(plan, request);
  }
  if (asked.probe) await probeEach(session, asked);
  // One that is under way spends already.
  const unfinished = cells
    .filter(({ isDone }) => !isDone)
    .toSorted((a, b) => Number(isOpen.has(b.cell.run)) - Number(isOpen.has(a.cell.run)));
  for (const [index, planned] of unfinished.entries()) {
    tell(`run ${index + 1} of ${unfinished.length}: ${planned.cell.run}`);
    await runCell(session, asked, planned);
  }
}

/** Only one run of an evaluation with a budget may be under way, and it has to be one of the file: each may spend all that is left. */
async function openRuns(
  { client }: Session,
  { evaluation, cells, environment }: EvaluationToRun,
): Promise<ReadonlySet<RunId>> {
  const runs = await runsOfEvaluation(environment, evaluation.name);
  const open: RunId[] = [];
  for (const { run, status } of runs) {
    if (status === 'running' && (await isOpenRun(client, run))) open.push(run);
  }
  if (!isCapped(evaluation.budget)) return new Set(open);
  const strange = open.find((run) => !cells.some(({ cell }) => cell.run === run));
  if (strange !== undefined) {
    throw new UserError(
      `run ${strange} of evaluation ${evaluation.name} is under way and no longer in the file, and spends its budget: \`turnwise cancel ${strange}\` ends it, or put it back`,
    );
  }
  const [first, second] = open;
  if (first !== undefined && second !== undefined) {
    throw new UserError(
      `runs ${first} and ${second} of evaluation ${evaluation.name} are both under way, and each may spend what is left of its budget: wait for one of them (\`turnwise status ${first} --watch\`), or end it with \`turnwise cancel ${first}\``,
    );
  }
  return new Set(open);
}

/** Each model and each scorer of the user's once, in the first run that asks it. */
async function probeEach(session: Session, { cells, environment }: EvaluationToRun): Promise<void> {
  const probed = new Set<string>();
  for (const { plan, isDone } of cells) {
    if (!isDone) await probeBeforeStart(session, environment, plan, probed);
  }
}

async function runCell(
  session: Session,
  { evaluation, environment, file }: EvaluationToRun,
  { cell, plan, request }: PlannedCell,
): Promise<void> {
  const { folder } = plan;
  const runs = await runsOfEvaluation(environment, evaluation.name);
  const others = runs.filter(({ run }) => run !== cell.run);
  const budget = budgetOf(evaluation, await spentAmounts(environment, others), file);
  const config = { ...request.config, budget };
  const tuning = cellTuning(config, evaluation.file.concurrency !== undefined);
  const before = await folder.manifest();
  const manifest: RunManifest = {
    ...before,
    status: 'running',
    config: tunedConfig(before.config, tuning),
  };
  await writeRun({ ...plan, kind: 'continued', manifest }, request);
  const end = await watchWithDisplay(session, environment, { folder, manifest }, tuning);
  if (end.kind === 'parked' && end.progress.summary.heldBy === 'budget') {
    const { spent } = end.progress.summary.budget;
    throw new UserError(
      `the budget of evaluation ${evaluation.name} leaves too little for the next call of run ${cell.run}, which has spent ${spentText(spent, budget)}: ${largerBudget(file)}`,
      exitStatus.runWaits,
    );
  }
  totalsOf(cell.run, end, `\`turnwise eval ${file}\``);
}

function budgetOf(
  { name, budget }: Evaluation,
  others: ReadonlyMap<string, Amount>,
  file: string,
): RunManifest['config']['budget'] {
  const found = cellBudget(budget, [...others.values()]);
  if (found.kind === 'cap') return found.cap;
  throw new UserError(
    `the budget of evaluation ${name} is spent (${spentText(found.spent, budget)}): ${largerBudget(file)}`,
    exitStatus.runWaits,
  );
}

const largerBudget = (file: string): string =>
  `a larger \`budget\` in ${file} and the same command continue it, and nothing that has ended is asked again`;

const spentOn = async ({ name }: Evaluation, environment: Environment): Promise<Amount> =>
  sum([...(await spentAmounts(environment, await runsOfEvaluation(environment, name))).values()]);

async function tellResult(
  evaluation: Evaluation,
  cells: readonly PlannedCell[],
  environment: Environment,
  flags: EvalFlags,
): Promise<void> {
  const comparison: EvaluationComparison = compareCells(
    await Promise.all(
      cells.map(async ({ cell, plan }) => ({ cell, compared: await comparedRun(plan.folder) })),
    ),
  );
  const spent = await spentOn(evaluation, environment);
  const page =
    flags.out ?? join(environment.TURNWISE_HOME, 'evaluations', `${evaluation.name}.html`);
  mkdirSync(dirname(page), { recursive: true });
  const folders = cells.map(({ plan }) => plan.folder);
  await writeEvaluation({ evaluation, comparison, spent }, folders, page);
  const databasePages = await writeDatabasePages(cells, page);
  printSections(flags, {
    title: `Evaluation ${evaluation.name}`,
    sections: evaluationSections(comparison, [
      evaluationWords(evaluation, comparison, spent),
      `page: ${page}`,
      ...databasePages.map((each) => `tables over databases: ${each}`),
    ]),
    data: { ...evaluationJson(evaluation, comparison, spent), page, databasePages },
  });
  for (const folder of folders) await tellFailures(folder);
}

/** Beside the page of an evaluation, one for each dataset that agents over databases have answered: its files. */
async function writeDatabasePages(
  cells: readonly PlannedCell[],
  page: string,
): Promise<readonly string[]> {
  const overDatabases = cells.filter(({ cell }) =>
    databaseModes.some((mode) => mode === cell.method),
  );
  const pages: string[] = [];
  for (const [label, own] of groupBy(overDatabases, ({ cell }) => cell.dataset.label)) {
    const { dir, name } = parse(page);
    const file = join(dir, `${runIdOf([name, label])}.html`);
    const folders = own.map(({ plan }) => plan.folder);
    pages.push((await writeReport(folders, file)).file);
  }
  return pages;
}

/** Questions that ended for outside reasons are not asked again by themselves. */
async function tellFailures(folder: PlannedCell['plan']['folder']): Promise<void> {
  const { run, totals } = await folder.manifest();
  const failed = totals === null ? 0 : outsideFailures(totals);
  if (failed === 0) return;
  warn(
    `run ${run}: ${counted(failed, 'question')} ended for reasons outside of the model; \`turnwise retry ${run}\` asks again`,
  );
  process.exitCode = exitStatus.doneWithOutsideFailures;
}
