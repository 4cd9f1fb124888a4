import {
  counted,
  countText,
  duration,
  grouped,
  said,
  type Texts,
} from '../../../domain/formats/text.js';
import { batchShare, cacheText, dollars } from '../../../domain/models/usage.js';
import {
  type CaseEstimate,
  enoughQuestions,
  estimateCases,
  type RunEstimate,
} from '../../../domain/runs/run-estimate.js';
import { evaluatorOf, mayNeedJudge } from '../../../domain/scoring/dataset-item.js';
import { usualConcurrency } from '../../../domain/runs/run-config.js';
import { panelName } from '../../../domain/scoring/judging/judging-config.js';
import { capLeft, isCapped, type Amount, type Cap } from '../../../domain/budget/amount.js';
import {
  cellText,
  sumOfEstimates,
  type Evaluation,
} from '../../../domain/evaluations/evaluation.js';
import { sum } from '../../../domain/statistics/means.js';
import { estimateOf, type EstimateReport } from '../../runs/estimate-run.js';
import type { RunPlan } from '../../runs/prepare-run.js';
import { priceRemedy } from '../../services/user-error.js';
import {
  figuresOf,
  listOf,
  section,
  wordsSection,
  type Row,
  type Section,
  type Table,
} from '../sections/section.js';
import type { PlannedCell } from '../../runs/evaluations/plan-evaluation.js';
import { spentText } from '../sections/evaluation.js';

/** @param of - what it is an estimate of */
export function estimateTable(
  of: string,
  {
    estimate,
    isBatched,
    left = 1,
  }: Pick<EstimateReport, 'estimate'> & Partial<Pick<EstimateReport, 'isBatched' | 'left'>>,
): Table {
  const row = (name: string, cell: (each: CaseEstimate) => string): Row => [
    name,
    ...estimateCases.map((each) => cell(estimate[each])),
  ];
  const { usd, ms } = estimate.likely;
  const rows = [
    row('model calls', ({ calls }) => countText(calls)),
    row('prompt tokens', ({ promptTokens }) => countText(promptTokens)),
    row('completion tokens', ({ completionTokens }) => countText(completionTokens)),
    ...(usd === null ? [] : [row('cost', (each) => dollars(each.usd ?? 0))]),
    ...(isBatched ? [row('time', ({ calls }) => daysText(Math.ceil(calls / left)))] : []),
    ...(isBatched && usd !== null
      ? [row('cost without --batch', (each) => dollars((each.usd ?? 0) / batchShare))]
      : []),
    ...(ms === null
      ? []
      : [row(isBatched ? 'time without --batch' : 'time', (each) => timeText(each.ms ?? 0))]),
  ];
  return figuresOf('Estimate', [of, ...estimateCases], rows);
}

/** Each call of a question waits for a batch. */
const daysText = (batches: number): string => `up to ${counted(batches, 'day')}`;

/** No work takes no time. */
const timeText = (ms: number): string => (ms > 0 && ms < 500 ? 'under 1 s' : duration(ms));

/** Questions of a trial whose figures are good enough. */
const trialSize = 20;

/** The notes below the table: the origin of the figures, and what is unknown. */
export function estimateNotes(report: EstimateReport, priceRemedy: string): readonly string[] {
  const { estimate, basis, method, model, concurrency, cache } = report;
  const { usd, ms } = estimate.likely;
  return said([
    basis.kind === 'earlier'
      ? `from ${basis.ofSame ? `${counted(basis.questions, 'earlier answer')} to these questions in ${counted(basis.runs, 'run')}` : `${counted(basis.questions, 'question')} of ${counted(basis.runs, 'earlier run')}`} of ${method} with ${model}; low and high are ${basis.questions < enoughQuestions ? 'usual for the method, since these are few' : 'their cheapest and most expensive quarter'}`
      : `${usualReason(basis, `${method} with ${model}`)}, so these are the figures of other models${report.samples > trialSize ? `; a trial with --sample ${trialSize} gives better ones` : ''}`,
    report.isBatched && 'a batch is answered within a day; what it leaves goes into another one',
    cache &&
      `of the likely prompt tokens the provider's cache has ${cacheText(cache)}, as in earlier runs`,
    usd === null && `the price of ${model} is unknown ${priceRemedy}`,
    ms === null
      ? 'the time is unknown until a question of such a run has ended'
      : `the time${report.isBatched ? ' without --batch' : ''} assumes ${report.isBatched ? usualConcurrency() : concurrency} questions at once, and the rate limits of the earlier runs`,
  ]);
}

/** Why there are no figures of earlier runs. @param names - what would have run */
const usualReason = (
  { runs, elsewhere }: Extract<EstimateReport['basis'], { kind: 'usual' }>,
  names: string,
): string =>
  runs > 0
    ? `no answer of ${counted(runs, 'earlier run')} of ${names} tells what it took`
    : elsewhere > 0
      ? `${counted(elsewhere, 'earlier run')} of ${names} asked another address, where it may be another model`
      : `there is no earlier run of ${names}`;

/** Of what is left of a budget and is too little. @param then - what comes of it */
function budgetNotes(left: Cap, { low, likely }: RunEstimate, then: string): Texts {
  const tokens = (each: CaseEstimate): number => each.promptTokens + each.completionTokens;
  const noteOf = (
    of: number | null,
    least: number | null,
    usual: number | null,
    text: (amount: number) => string,
  ): string | null => {
    if (of === null || least === null || usual === null || of >= usual) return null;
    const [is, name, estimate] =
      of < least ? (['is', 'low', least] as const) : (['may be', 'likely', usual] as const);
    return `The budget ${is} too small: ${text(of)} is left of it, and the ${name} estimate is ${text(estimate)}; ${then}`;
  };
  return [
    noteOf(left.usd, low.usd, likely.usd, dollars),
    noteOf(left.tokens, tokens(low), tokens(likely), (count) => `${countText(count)} tokens`),
  ];
}

/** The remaining work of a run, its cost and its time; nothing if nothing remains. */
export function runForecast(plan: RunPlan, report: EstimateReport): readonly Section[] {
  if (report.left === 0) return [];
  const { left, samples, method, model, concurrency } = report;
  const then = 'when it is spent the run is held, and `turnwise tune` raises it';
  const small = said(budgetNotes(report.budget, report.estimate, then));
  return [
    section('forecast', 'Forecast', {
      words: `${left === samples ? counted(left, 'question') : `${left} of ${samples} questions`}, ${method} with ${model}, at most ${concurrency} at once`,
      notes: [estimateNotes(report, priceRemedy), judgesNote(plan)],
      tables: [estimateTable('', report)],
    }),
    ...(small.length > 0 ? [wordsSection('budget', 'Budget', small, 'warning')] : []),
  ];
}

/** In logical functions a comparison may decide, so that the number of answers that need a judge is the highest possible. */
function judgesNote({ manifest, items }: RunPlan): string | null {
  const { judging, epochs } = manifest.config;
  if (judging === null) return null;
  const judged = items.filter((item) => {
    const evaluator = evaluatorOf(item);
    return evaluator !== undefined && mayNeedJudge(evaluator);
  });
  return `not included: a call of ${panelName(judging)} for each of up to ${grouped(judged.length * epochs)} answers that need a judge, and up to ${judging.tries} calls if replies cannot be read`;
}

/** What is left of an evaluation, and what that will take. */
interface EvaluationForecast {
  readonly cells: readonly CellForecast[];
  /** Of all cells, one after the other. */
  readonly estimate: RunEstimate;
  /** Questions still to answer, and all of them, each counted once for every epoch. */
  readonly left: number;
  readonly samples: number;
}

interface CellForecast extends EstimateReport {
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
export function evaluationForecast(
  { name, budget }: Evaluation,
  forecast: EvaluationForecast,
  spent: Amount,
): readonly Section[] {
  const { cells, estimate, left, samples } = forecast;
  const then = 'when it is spent the evaluation stops, and a larger `budget` continues it';
  const small = said(budgetNotes(capLeft(budget, spent), estimate, then));
  const runs = listOf(
    'Runs',
    ['run', 'dataset', 'method', 'model', 'left', 'calls', 'cost', 'time'],
    cells.map(cellRow),
  );
  return [
    section('forecast', 'Forecast', {
      words: `evaluation ${name}: ${counted(cells.length, 'run')}, ${left} of ${samples} questions to answer`,
      notes: left > 0 && notes(forecast),
      tables: [
        { ...runs, names: 4 },
        left > 0 ? estimateTable('all together', { estimate }) : null,
      ],
    }),
    ...(isCapped(budget)
      ? [
          wordsSection(
            'budget',
            'Budget',
            [`the budget of all runs together: ${spentText(spent, budget)} spent`, ...small],
            small.length > 0 ? 'warning' : undefined,
          ),
        ]
      : []),
  ];
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

function notes({ cells }: EvaluationForecast): readonly string[] {
  const open = cells.filter(({ left }) => left > 0);
  const reasons = open.flatMap(({ basis, method, model }) =>
    basis.kind === 'usual' ? [usualReason(basis, `${method} with ${model}`)] : [],
  );
  const unpriced = open.filter(({ estimate }) => estimate.likely.usd === null);
  return said([
    reasons.length === 0
      ? 'from earlier runs of the same methods and models'
      : `${[...new Set(reasons)].join('; ')}: so these are the figures of other models, and a trial with \`sample: 20\` gives better ones`,
    unpriced.length > 0 &&
      `the price of ${[...new Set(unpriced.map(({ model }) => model))].join(', ')} is unknown (\`prices:\` in turnwise.yaml says what a model costs)`,
    open.some(({ planned }) => planned.plan.manifest.config.judging !== null) &&
      'not included: what judges cost',
    'the runs are made one after the other; the rate limits of a model hold for all of them',
  ]);
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
