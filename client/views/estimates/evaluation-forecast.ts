import type { Amount } from '../../../domain/budget/amount.js';
import { cellText, type Evaluation } from '../../../domain/evaluations/evaluation.js';
import { sumOfEstimates } from '../../../domain/evaluations/forecast.js';
import { counted, countText, duration, joined, type Texts } from '../../../domain/formats/text.js';
import { dollars } from '../../../domain/models/usage.js';
import type { RunEstimate } from '../../../domain/runs/run-estimate.js';
import { sum } from '../../../domain/statistics/means.js';
import type { PlannedCell } from '../../runs/evaluations/plan-evaluation.js';
import { estimateOf, type EstimateReport } from '../../runs/estimate-run.js';
import { alignColumns, table, type Row } from '../terminal.js';
import { spentText } from '../evaluations/evaluation-text.js';
import { estimateRows } from './run-estimate.js';

/** What is left of an evaluation, and what that will take. */
export interface EvaluationForecast {
  readonly cells: readonly CellForecast[];
  /** Of all cells, one after the other. */
  readonly estimate: RunEstimate;
  /** Questions still to answer, and all of them, each counted once for every epoch. */
  readonly left: number;
  readonly samples: number;
}

export interface CellForecast extends EstimateReport {
  readonly planned: PlannedCell;
}

export async function forecastOf(
  cells: readonly PlannedCell[],
  home: string,
): Promise<EvaluationForecast> {
  const forecasts: CellForecast[] = [];
  for (const planned of cells) {
    forecasts.push({ planned, ...(await estimateOf(planned.plan, home)) });
  }
  return {
    cells: forecasts,
    estimate: sumOfEstimates(forecasts.map(({ estimate }) => estimate)),
    left: sum(forecasts.map(({ left }) => left)),
    samples: sum(forecasts.map(({ samples }) => samples)),
  };
}

/** The cells, and one forecast for all of them. */
export function forecastText(
  { name, budget }: Evaluation,
  forecast: EvaluationForecast,
  spent: Amount,
): string {
  const { cells, estimate, left, samples } = forecast;
  return joined(
    '\n',
    `evaluation ${name}: ${counted(cells.length, 'run')}, ${left} of ${samples} questions to answer`,
    table(
      ['run', 'dataset', 'method', 'model', 'left', 'calls', 'cost', 'time'],
      cells.map(cellRow),
    ),
    left > 0 && ['all together:', alignColumns(estimateRows({ estimate })), notes(forecast)],
    (budget.usd !== null || budget.tokens !== null) && [
      `the budget of all runs together: ${spentText(spent, budget)} spent`,
      budgetNote(budget, estimate, spent),
    ],
  );
}

function cellRow({ planned, estimate, left, samples }: CellForecast): Row {
  const { run, dataset, method, model } = planned.cell;
  const { calls, usd, ms } = estimate.likely;
  return [
    run,
    dataset.label,
    method,
    model.label,
    left === samples ? left : `${left} of ${samples}`,
    left === 0 ? null : countText(calls),
    left === 0 ? null : usd === null ? 'unknown' : dollars(usd),
    left === 0 ? null : ms === null ? 'unknown' : duration(ms),
  ];
}

function notes({ cells }: EvaluationForecast): Texts {
  const open = cells.filter(({ left }) => left > 0);
  const names = (some: readonly CellForecast[]): string =>
    [...new Set(some.map(({ method, model }) => `${method} with ${model}`))].join(', ');
  const usual = open.filter(({ basis }) => basis.kind === 'usual');
  const unpriced = open.filter(({ estimate }) => estimate.likely.usd === null);
  return [
    usual.length === 0
      ? 'from earlier runs of the same methods and models'
      : `there is no earlier run of ${names(usual)}, so these are the figures of other models; a trial with \`sample: 20\` gives better ones`,
    unpriced.length > 0 &&
      `the price of ${[...new Set(unpriced.map(({ model }) => model))].join(', ')} is unknown (\`prices:\` in turnwise.yaml says what a model costs)`,
    open.some(({ planned }) => planned.plan.manifest.config.judging !== null) &&
      'not included: what judges cost',
    'the runs are made one after the other; the rate limits of a model hold for all of them',
  ];
}

function budgetNote(
  budget: Evaluation['budget'],
  { low, likely }: RunEstimate,
  spent: Amount,
): Texts {
  const tokens = (of: typeof low): number => of.promptTokens + of.completionTokens;
  const isBelow = (of: typeof low): boolean =>
    (budget.usd !== null && of.usd !== null && budget.usd - spent.usd < of.usd) ||
    (budget.tokens !== null && budget.tokens - spent.tokens < tokens(of));
  const then = 'when it is spent the evaluation stops, and a larger `budget` continues it';
  if (isBelow(low))
    return `The budget is too small: the low estimate is above what is left; ${then}`;
  return (
    isBelow(likely) &&
    `The budget may be too small: the likely estimate is above what is left; ${then}`
  );
}

/** A forecast as one JSON document. */
export const forecastJson = (
  { name, budget, epochs }: Evaluation,
  { cells, estimate, left, samples }: EvaluationForecast,
  spent: Amount,
): object => ({
  evaluation: name,
  epochs,
  budget,
  spent,
  left,
  samples,
  estimate,
  cells: cells.map((cell) => ({
    run: cell.planned.cell.run,
    name: cellText(cell.planned.cell),
    dataset: cell.planned.cell.dataset.label,
    method: cell.method,
    model: cell.model,
    state: cell.planned.isDone ? 'done' : cell.planned.plan.kind === 'new' ? 'new' : 'begun',
    left: cell.left,
    samples: cell.samples,
    estimate: cell.estimate,
    basis: cell.basis,
  })),
});
