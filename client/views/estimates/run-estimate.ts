import {
  counted,
  countText,
  duration,
  grouped,
  joined,
  said,
  type Texts,
} from '../../../domain/formats/text.js';
import { dollars } from '../../../domain/models/usage.js';
import type { CaseEstimate } from '../../../domain/runs/run-estimate.js';
import { estimateCases } from '../../../domain/runs/workloads.js';
import { evaluatorOf, mayNeedJudge } from '../../../domain/scoring/dataset-item.js';
import { panelName } from '../../../domain/scoring/judging/judging-config.js';
import { estimateOf, type EstimateReport } from '../../runs/estimate-run.js';
import type { RunPlan } from '../../runs/prepare-run.js';
import { priceRemedy } from '../../services/user-error.js';
import { alignColumns, type Row } from '../terminal.js';

/** An estimate as rows of a table; the first row is the heading. */
export function estimateRows({ estimate }: Pick<EstimateReport, 'estimate'>): readonly Row[] {
  const row = (name: string, cell: (each: CaseEstimate) => string): Row => [
    name,
    ...estimateCases.map((each) => cell(estimate[each])),
  ];
  const { usd, ms } = estimate.likely;
  return [
    ['', ...estimateCases],
    row('model calls', ({ calls }) => countText(calls)),
    row('prompt tokens', ({ promptTokens }) => countText(promptTokens)),
    row('completion tokens', ({ completionTokens }) => countText(completionTokens)),
    ...(usd === null ? [] : [row('cost', (each) => dollars(each.usd ?? 0))]),
    ...(ms === null ? [] : [row('time', (each) => timeText(each.ms ?? 0))]),
  ];
}

/** No work takes no time. */
const timeText = (ms: number): string => (ms > 0 && ms < 500 ? 'under 1 s' : duration(ms));

/** The notes below the table: the origin of the figures, what is unknown, and a budget that is too small. */
export function estimateNotes(report: EstimateReport, priceRemedy: string): readonly string[] {
  const { estimate, basis, method, model, concurrency } = report;
  const { usd, ms } = estimate.likely;
  return said([
    basis.kind === 'earlier'
      ? `from ${counted(basis.questions, 'question')} of ${counted(basis.runs, 'earlier run')} of ${method} with ${model}; low and high are their cheapest and most expensive quarter`
      : `there is no earlier run of ${method} with ${model}, so these are the figures of other models; a trial with --sample 20 gives better ones`,
    usd === null && `the price of ${model} is unknown ${priceRemedy}`,
    ms === null
      ? 'the time is unknown: there is no earlier run with this model'
      : `the time assumes ${concurrency} questions at once, and the rate limits of the earlier runs`,
    budgetNotes(report),
  ]);
}

function budgetNotes({ estimate: { low, likely }, budget }: EstimateReport): Texts {
  const tokens = (each: CaseEstimate): number => each.promptTokens + each.completionTokens;
  return [
    noteOf(budget.usd, low.usd, likely.usd, dollars),
    noteOf(budget.tokens, tokens(low), tokens(likely), (count) => `${countText(count)} tokens`),
  ];
}

function noteOf(
  left: number | null,
  low: number | null,
  likely: number | null,
  text: (amount: number) => string,
): string | null {
  if (left === null || low === null || likely === null || left >= likely) return null;
  const then = 'when it is spent the run waits, and `turnwise tune` raises it';
  return left < low
    ? `The budget is too small: ${text(left)} is left of it, and the low estimate is ${text(low)}; ${then}`
    : `The budget may be too small: ${text(left)} is left of it, and the likely estimate is ${text(likely)}; ${then}`;
}

/** The remaining work of a run, its cost and its time; null if nothing remains. */
export async function runEstimateText(plan: RunPlan, home: string): Promise<string | null> {
  const report = await estimateOf(plan, home);
  if (report.left === 0) return null;
  const { left, samples, method, model, concurrency } = report;
  return joined(
    '\n',
    `${left === samples ? counted(left, 'question') : `${left} of ${samples} questions`}, ${method} with ${model}, at most ${concurrency} at once`,
    alignColumns(estimateRows(report)),
    estimateNotes(report, priceRemedy),
    judgesNote(plan),
  );
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
