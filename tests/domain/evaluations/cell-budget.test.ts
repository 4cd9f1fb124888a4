import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noAmount, sum, type Amount } from '../../../domain/budget/amount.js';
import { cellBudget, spentByRun } from '../../../domain/evaluations/evaluation.js';
import { noProbes } from '../../../domain/runs/probes.js';
import { noTotals } from '../../../domain/runs/run-totals.js';
import { noUsage } from '../../../domain/models/usage.js';

describe('cellBudget', () => {
  it('is what the other cells leave of the budget', () => {
    const others = [
      { usd: 0.1, tokens: 100 },
      { usd: 0.2, tokens: 250.5 },
    ];
    expect(cellBudget({ usd: 1, tokens: 1000 }, others)).toEqual({
      kind: 'cap',
      cap: { usd: 0.7, tokens: 649 },
    });
  });

  it('keeps what is not limited without a limit', () => {
    const cap = { usd: null, tokens: null };
    expect(cellBudget(cap, [{ usd: 3, tokens: 9 }])).toEqual({ kind: 'cap', cap });
  });

  it('is none where the others have spent it, or more', () => {
    const spent = { usd: 1.5, tokens: 7 };
    expect(cellBudget({ usd: 1, tokens: null }, [spent])).toEqual({ kind: 'spent', spent });
    expect(cellBudget({ usd: null, tokens: 7 }, [spent])).toEqual({ kind: 'spent', spent });
  });

  it('keeps the sum over all cells within the budget, in any order and however much each takes', () => {
    const parts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), parts, (tokens, shares) => {
        const spent: Amount[] = [];
        for (const share of shares) {
          const found = cellBudget({ usd: null, tokens }, spent);
          if (found.kind === 'spent') break;
          spent.push({ usd: 0, tokens: Math.floor((found.cap.tokens ?? 0) * share) });
        }
        expect(sum(spent).tokens).toBeLessThanOrEqual(tokens);
      }),
    );
  });
});

describe('spentByRun', () => {
  const totals = {
    ...noTotals,
    usage: { ...noUsage, promptTokens: 100, completionTokens: 20 },
    cost: { usd: 0.5, unpricedCalls: 0 },
    judged: {
      usage: { ...noUsage, promptTokens: 10, completionTokens: 2 },
      cost: { usd: 0.25, unpricedCalls: 0 },
    },
  };
  const probes = { ...noProbes, promptTokens: 3, completionTokens: 1, costUsd: 0.125 };

  it('counts answers, judges and probes', () => {
    expect(spentByRun({ totals, probes })).toEqual({ usd: 0.875, tokens: 136 });
    expect(spentByRun({ totals: null, probes: noProbes })).toEqual(noAmount);
  });

  it('counts calls whose reply was lost, of which only the ledger of the run knows', () => {
    const spent = { usd: 1, tokens: 0 };
    expect(spentByRun({ spent, totals, probes })).toEqual({ usd: 1, tokens: 136 });
  });
});
