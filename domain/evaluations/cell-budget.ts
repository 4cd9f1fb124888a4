import { add, capLeft, max, sum, type Amount, type Cap } from '../budget/amount.js';
import { amountOfProbes } from '../runs/probes.js';
import type { RunManifest } from '../runs/run-manifest.js';

/** What a cell may spend, or the amount that the others have spent where they leave nothing. */
export type CellBudget =
  { readonly kind: 'cap'; readonly cap: Cap } | { readonly kind: 'spent'; readonly spent: Amount };

/**
 * The cap of one cell while no other cell can spend anything: what the others leave of the evaluation's budget. So the sum
 * over all cells stays within it.
 */
export function cellBudget(total: Cap, others: readonly Amount[]): CellBudget {
  const spent = sum(others);
  const left = capLeft(total, spent);
  if (left.usd === 0 || left.tokens === 0) return { kind: 'spent', spent };
  return { kind: 'cap', cap: { ...left, tokens: left.tokens && Math.floor(left.tokens) } };
}

/** What a run that is not under way has taken of a budget, its probes and judges included. */
export function spentByRun({
  spent,
  totals,
  probes,
}: Pick<RunManifest, 'spent' | 'totals' | 'probes'>): Amount {
  const counted = totals && {
    usd: totals.cost.usd + totals.judged.cost.usd,
    tokens: [totals.usage, totals.judged.usage].reduce(
      (all, { promptTokens, completionTokens }) => all + promptTokens + completionTokens,
      0,
    ),
  };
  const known = add(counted ?? { usd: 0, tokens: 0 }, amountOfProbes(probes));
  // Without a budget a run keeps no ledger, and with one the ledger knows of calls whose reply was lost.
  return spent === undefined ? known : max(spent, known);
}
