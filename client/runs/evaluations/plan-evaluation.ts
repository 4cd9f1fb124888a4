import { dirname, resolve } from 'node:path';
import {
  cellText,
  type Cell,
  type EvaluatedDataset,
  type Evaluation,
} from '../../../domain/evaluations/evaluation.js';
import type { RunConfig, Tuning } from '../../../domain/runs/run-config.js';
import { storageOf, type Environment } from '../../../domain/settings.js';
import type { OwnScorer } from '../../../domain/scoring/own-scorer.js';
import { UserError } from '../../../domain/user-error.js';
import { readLinesFile } from '../../services/read-file.js';
import { chooseQuestions, databaseNamed } from '../choose-samples.js';
import { scorersOf, type LoadedPlugin } from '../own-code.js';
import { planRun, type RunPlan, type RunRequest } from '../prepare-run.js';
import { scoredBy } from '../scoring/score-answers.js';
import { storeOfQuestions } from '../stores/store-files.js';

/** A cell whose run could be started or continued. */
export interface PlannedCell {
  readonly cell: Cell;
  readonly request: RunRequest;
  readonly plan: RunPlan;
  /** Whether every question of it has ended, so that nothing is left to do. */
  readonly isDone: boolean;
}

interface EvaluationPlace {
  readonly environment: Environment;
  /** Of the evaluation. Datasets are relative to its folder. */
  readonly file: string;
  /** Those that it names. */
  readonly plugins: readonly LoadedPlugin[];
  /** Scores every answer; null where each question has its own evaluator. */
  readonly scorer: OwnScorer | null;
  /** The words of the command line. */
  readonly command: readonly string[];
}

/**
 * Plans every cell of an evaluation. Nothing is written or spent.
 * @param configOf - the configuration of a cell's run
 * @throws UserError naming the cell that cannot be run
 */
export async function planCells(
  { name, file: { run: options }, cells }: Evaluation,
  { environment, file, plugins, scorer, command }: EvaluationPlace,
  configOf: (cell: Cell) => RunConfig,
): Promise<readonly PlannedCell[]> {
  const texts = new Map<string, string>();
  const textOf = ({ path, part }: EvaluatedDataset): string => {
    const known = texts.get(path);
    const text = known ?? readLinesFile(pathOf(path), `the dataset ${path}`);
    texts.set(path, text);
    const chosen = chooseQuestions(text, part, scorersOf(plugins));
    return scorer === null ? chosen : scoredBy(scorer, chosen);
  };
  const pathOf = (path: string): string => resolve(dirname(file), path);
  const planned: PlannedCell[] = [];
  for (const cell of cells) {
    const { run, dataset, model } = cell;
    const config = await naming(cell, () => configOf(cell));
    const text = textOf(dataset);
    const database = databaseNamed(text, scorersOf(plugins));
    const asked = { store: dataset.store ?? undefined, database };
    const request: RunRequest = {
      home: environment.TURNWISE_HOME,
      storage: storageOf(environment),
      run,
      dataset: { path: pathOf(dataset.path), text },
      store: await naming(cell, () => storeOfQuestions(environment, asked, config)),
      skipBadDatabases: options?.skipBadDatabases ?? false,
      ...(dataset.part.kind !== 'all' && { part: dataset.part }),
      config,
      plugins,
      command,
      evaluation: { name, dataset: dataset.label, model: model.label },
      elsewhere:
        'give the evaluation another `name`, or what has changed another `label`, and the runs that are there stay as they are',
    };
    const plan = await naming(cell, () => planRun(request));
    planned.push({ cell, request, plan, isDone: plan.kind === 'ended' });
  }
  return planned;
}

async function naming<T>(cell: Cell, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(`${cellText(cell)}: ${error.message}`, error.status);
  }
}

/** What a cell that was begun before is to be told. */
export const cellTuning = (
  { budget, concurrency }: Pick<RunConfig, 'budget' | 'concurrency'>,
  isConcurrencyAsked: boolean,
): Tuning => ({
  budgetUsd: budget.usd,
  budgetTokens: budget.tokens,
  ...(isConcurrencyAsked && { concurrency }),
});
