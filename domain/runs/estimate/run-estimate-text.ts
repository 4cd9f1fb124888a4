import { grouped } from '../../grouped.js';
import type { Cap } from '../../budget/amount.js';
import { countText } from '../../count-text.js';
import { duration } from '../../duration.js';
import { dollars } from '../../models/cost.js';
import type { CaseEstimate, RunEstimate } from './run-estimate.js';
import { estimateCases } from './workload.js';

/** On what an estimate rests. */
export type EstimateBasis =
  | { readonly kind: 'earlier'; readonly runs: number; readonly questions: number }
  | { readonly kind: 'usual' };

export interface EstimateToTell {
  readonly estimate: RunEstimate;
  readonly basis: EstimateBasis;
  /** Questions that are left, in all epochs, and those that there are. */
  readonly left: number;
  readonly samples: number;
  readonly concurrency: number;
  readonly method: string;
  readonly model: string;
  /** What may still be spent: the run's ceiling, less what it has spent. */
  readonly budget: Cap;
}

/** An estimate as rows of a table, its first row the heading. */
export function estimateRows({
  estimate,
}: Pick<EstimateToTell, 'estimate'>): readonly (readonly string[])[] {
  const row = (name: string, cell: (each: CaseEstimate) => string): readonly string[] => [
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
    ...(ms === null ? [] : [row('time', (each) => duration(each.ms ?? 0))]),
  ];
}

/** What stands below the table: where the figures come from, what is not known, and a budget that will not do. */
export function estimateNotes(told: EstimateToTell, priceRemedy: string): readonly string[] {
  const { estimate, basis, method, model, concurrency } = told;
  const { usd, ms } = estimate.likely;
  return [
    basis.kind === 'earlier'
      ? `from ${counted(basis.questions, 'question')} of ${counted(basis.runs, 'earlier run')} of ${method} with ${model}; low and high are their cheapest and dearest quarter`
      : `no earlier run of ${method} with ${model} to go by: figures of other models; a trial with --sample 20 tells more`,
    ...(usd === null ? [`what ${model} costs is not known ${priceRemedy}`] : []),
    ...(ms === null
      ? ['how long it takes is not known: nobody has seen this model answer yet']
      : [
          `the time is that of ${concurrency} questions at once, and of no rate limit that was not met before`,
        ]),
    ...budgetNotes(told),
  ];
}

function budgetNotes({ estimate, budget }: EstimateToTell): readonly string[] {
  const { low, likely } = estimate;
  const tokens = (each: CaseEstimate): number => each.promptTokens + each.completionTokens;
  return [
    ...noteOf(budget.usd, low.usd, likely.usd, dollars),
    ...noteOf(budget.tokens, tokens(low), tokens(likely), (count) => `${countText(count)} tokens`),
  ];
}

function noteOf(
  left: number | null,
  low: number | null,
  likely: number | null,
  text: (amount: number) => string,
): readonly string[] {
  if (left === null || low === null || likely === null || left >= likely) return [];
  const then = 'once it is spent the run waits, and `turnwise tune` raises it';
  return [
    left < low
      ? `The budget will not do: ${text(left)} is left of it, and the low estimate is ${text(low)}; ${then}`
      : `The budget may not do: ${text(left)} is left of it, and the likely estimate is ${text(likely)}; ${then}`,
  ];
}

const counted = (count: number, what: string): string =>
  `${grouped(count)} ${what}${count === 1 ? '' : 's'}`;
