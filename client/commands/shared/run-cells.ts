import { isCapped, type Amount } from '../../../domain/budget/amount.js';
import { cellBudget } from '../../../domain/evaluations/cell-budget.js';
import type { Evaluation } from '../../../domain/evaluations/evaluation.js';
import type { RunId } from '../../../domain/ids.js';
import type { RunManifest } from '../../../domain/runs/run-manifest.js';
import { tunedConfig } from '../../../domain/runs/tuning.js';
import type { Environment } from '../../../domain/settings.js';
import { exitStatus, UserError } from '../../../domain/user-error.js';
import { cellTuning, type PlannedCell } from '../../runs/evaluations/plan-evaluation.js';
import { runsOfEvaluation, spentAmounts } from '../../runs/evaluations/spent-amounts.js';
import { isOpenRun, modelsToProbe } from '../../runs/probe-models.js';
import { writeRun } from '../../runs/prepare-run.js';
import { tell } from '../../services/tell.js';
import type { Session } from '../../services/session.js';
import { spentText } from '../../views/evaluations/evaluation-text.js';
import { totalsOf } from '../../views/run-end.js';
import { watchWithDisplay } from './execute.js';
import { probeBeforeStart } from './probe-before-start.js';

export interface EvaluationToRun {
  readonly evaluation: Evaluation;
  readonly cells: readonly PlannedCell[];
  readonly environment: Environment;
  /** Of the evaluation, for messages. */
  readonly file: string;
  /** Whether each model is asked once before anything else. */
  readonly probe: boolean;
}

/**
 * Runs the cells that are not done, one after the other, each with what is left of the budget (docs/decisions/0027).
 * @throws UserError where a cell waits for somebody, was cancelled or cannot be started
 */
export async function runCells(session: Session, asked: EvaluationToRun): Promise<void> {
  const { cells } = asked;
  const isOpen = await openRuns(session, asked);
  for (const { plan, request } of cells) {
    // All of them, so that `turnwise runs` shows the whole evaluation.
    if (plan.kind === 'new') await writeRun(plan, request);
  }
  if (asked.probe) await probeModels(session, asked);
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

/** Each model once, in the first run that asks it. */
async function probeModels(
  session: Session,
  { cells, environment }: EvaluationToRun,
): Promise<void> {
  const probed = new Set<string>();
  for (const { plan, isDone } of cells) {
    if (isDone) continue;
    const models = await modelsToProbe(plan);
    if (models.every((model) => probed.has(model))) continue;
    await probeBeforeStart(session, environment, plan);
    for (const model of models) probed.add(model);
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
