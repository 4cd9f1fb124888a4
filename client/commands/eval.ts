import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { sum, type Amount } from '../../domain/budget/amount.js';
import { compareCells, type EvaluationComparison } from '../../domain/evaluations/compare-cells.js';
import { evaluationJsonSchema } from '../../domain/evaluations/evaluation-file.js';
import type { Evaluation } from '../../domain/evaluations/evaluation.js';
import { counted } from '../../domain/formats/text.js';
import { flag, option, type FlagsOf } from '../../domain/option.js';
import { outsideFailures } from '../../domain/runs/run-totals.js';
import type { Environment } from '../../domain/settings.js';
import { exitStatus, UserError } from '../../domain/user-error.js';
import { planCells, type PlannedCell } from '../runs/evaluations/plan-evaluation.js';
import { readEvaluationFile } from '../runs/evaluations/read-evaluation.js';
import { runsOfEvaluation, spentAmounts } from '../runs/evaluations/spent-amounts.js';
import { givenPlugins } from '../runs/own-code.js';
import { comparedRun } from '../runs/scoring/compared-runs.js';
import { loadEnvironment } from '../services/environment.js';
import { tell } from '../services/tell.js';
import { evaluationJson, evaluationText } from '../views/evaluations/evaluation-text.js';
import { forecastJson, forecastOf, forecastText } from '../views/estimates/evaluation-forecast.js';
import { writeEvaluation } from '../views/page/write-page.js';
import { addOptions } from './shared/arguments.js';
import { addExamples } from './shared/command-line.js';
import { cellConfig } from './shared/cell-config.js';
import { isAsked, isToStart, withSession } from './shared/execute.js';
import { probeOption, yesOption } from './shared/limit-options.js';
import { ownScorerIn } from './shared/plugin-options.js';
import { runCells } from './shared/run-cells.js';

const evalOptions = {
  dryRun: flag('show the runs and what they will take, and start nothing'),
  ...{ ...yesOption, ...probeOption },
  out: option('<file>', 'where to write the page (default: evaluations/NAME.html in the home)'),
  json: flag('one JSON document: the result, or with --dry-run the forecast'),
  schema: flag('print the JSON schema of evaluation files, for editors'),
};
type EvalFlags = FlagsOf<typeof evalOptions>;

export function registerEval(program: Command): void {
  const command = program
    .command('eval')
    .description('ask every dataset of a file by every method with every model, and compare them')
    .argument('[file]', 'the evaluation, in YAML (docs/evaluations.md)');
  addExamples(addOptions(command, evalOptions).action(evaluate), [
    'turnwise eval eval.yaml --dry-run',
    'turnwise eval eval.yaml --yes --out page.html',
    'turnwise eval --schema > evaluation.schema.json',
  ]);
}

async function evaluate(file: string | undefined, flags: EvalFlags): Promise<void> {
  if (flags.schema) {
    process.stdout.write(evaluationJsonSchema());
    return;
  }
  if (file === undefined) {
    throw new UserError('name the file of the evaluation; docs/evaluations.md has an example');
  }
  const evaluation = readEvaluationFile(file);
  const environment = loadEnvironment();
  const paths = (evaluation.file.plugins ?? []).map((path) => resolve(dirname(file), path));
  const plugins = await givenPlugins(paths, environment);
  const scorer = ownScorerIn(evaluation.file, plugins);
  const cells = await planCells(
    evaluation,
    { environment, file, plugins, scorer, command: process.argv.slice(2) },
    (cell) => cellConfig(cell, evaluation, environment, plugins),
  );
  for (const note of new Set(cells.flatMap(({ plan }) => plan.notes))) console.error(note);
  const spent = await spentOn(evaluation, environment);
  if (flags.dryRun || cells.some(({ isDone }) => !isDone)) {
    const forecast = await forecastOf(cells, environment.TURNWISE_HOME);
    if (flags.dryRun) {
      console.log(
        flags.json
          ? JSON.stringify(forecastJson(evaluation, forecast, spent), null, 1)
          : forecastText(evaluation, forecast, spent),
      );
      return;
    }
    // Who is asked has to see it.
    const say = isAsked(flags.yes) ? console.error : tell;
    say(forecastText(evaluation, forecast, spent));
    if (!(await isToStart(flags.yes))) return;
    await withSession(environment, (session) =>
      runCells(session, { evaluation, cells, environment, file, probe: flags.probe }),
    );
  }
  await tellResult(evaluation, cells, environment, flags);
}

const spentOn = async ({ name }: Evaluation, environment: Environment): Promise<Amount> =>
  sum([...(await spentAmounts(environment, await runsOfEvaluation(environment, name))).values()]);

async function tellResult(
  evaluation: Evaluation,
  cells: readonly PlannedCell[],
  environment: Environment,
  { out, json }: EvalFlags,
): Promise<void> {
  const comparison: EvaluationComparison = compareCells(
    await Promise.all(
      cells.map(async ({ cell, plan }) => ({ cell, compared: await comparedRun(plan.folder) })),
    ),
  );
  const spent = await spentOn(evaluation, environment);
  const page = out ?? join(environment.TURNWISE_HOME, 'evaluations', `${evaluation.name}.html`);
  mkdirSync(dirname(page), { recursive: true });
  const folders = cells.map(({ plan }) => plan.folder);
  await writeEvaluation({ evaluation, comparison, spent }, folders, page);
  console.log(
    json
      ? JSON.stringify({ ...evaluationJson(evaluation, comparison, spent), page }, null, 1)
      : `${evaluationText(evaluation, comparison, spent)}\npage: ${page}`,
  );
  for (const folder of folders) await tellFailures(folder);
}

/** Questions that ended for outside reasons are not asked again by themselves. */
async function tellFailures(folder: PlannedCell['plan']['folder']): Promise<void> {
  const { run, totals } = await folder.manifest();
  const failed = totals === null ? 0 : outsideFailures(totals);
  if (failed === 0) return;
  console.error(
    `run ${run}: ${counted(failed, 'question')} ended for reasons outside of the model; \`turnwise retry ${run}\` asks again`,
  );
  process.exitCode = exitStatus.doneWithOutsideFailures;
}
