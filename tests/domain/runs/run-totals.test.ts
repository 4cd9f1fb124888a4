import { describe, expect, it } from 'vitest';
import { outcomeKinds } from '../../../domain/agent/question-result.js';
import {
  addEnded,
  endedCount,
  noTotals,
  removeTotals,
  runTotalsSchema,
  type EndedQuestion,
} from '../../../domain/runs/run-totals.js';
import { noCost, noUsage } from '../../../domain/models/usage.js';

describe('the totals of a run', () => {
  it('count every kind of outcome, and scores apart from what has none', () => {
    const totals = outcomeKinds
      .map((outcome, index) => ({
        outcome,
        turns: 1,
        usage: { ...noUsage, calls: 2 },
        cost: noCost,
        score: index === 0 ? 0.5 : null,
      }))
      .reduce(addEnded, noTotals);
    expect(endedCount(totals)).toBe(outcomeKinds.length);
    expect(totals).toMatchObject({
      turns: outcomeKinds.length,
      usage: { calls: 2 * outcomeKinds.length },
      scores: { total: 0.5, scored: 1, unscored: outcomeKinds.length - 1 },
    });
    expect(runTotalsSchema.parse(JSON.parse(JSON.stringify(totals)))).toEqual(totals);
  });

  it('are as before once an end is taken back', () => {
    const ends: readonly EndedQuestion[] = [
      {
        outcome: 'answered',
        turns: 3,
        usage: { ...noUsage, calls: 3, promptTokens: 10 },
        cost: { usd: 0.5, unpricedCalls: 0 },
        score: 1,
      },
      {
        outcome: 'infra-error',
        turns: 1,
        usage: { ...noUsage, calls: 2, retries: 7 },
        cost: { usd: 0, unpricedCalls: 2 },
        score: null,
      },
    ];
    const all = ends.reduce(addEnded, noTotals);
    for (const [index, end] of ends.entries()) {
      const others = ends.filter((_, other) => other !== index).reduce(addEnded, noTotals);
      expect(removeTotals(all, addEnded(noTotals, end))).toEqual(others);
    }
    expect(removeTotals(all, all)).toEqual(noTotals);
  });
});
