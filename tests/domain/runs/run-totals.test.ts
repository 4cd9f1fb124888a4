import { describe, expect, it } from 'vitest';
import { outcomeKinds } from '../../../domain/questions/outcome.js';
import {
  addEnded,
  endedCount,
  noTotals,
  runTotalsSchema,
} from '../../../domain/runs/run-totals.js';
import { noUsage } from '../../../domain/usage.js';

describe('the totals of a run', () => {
  it('count every kind of outcome, and scores apart from what has none', () => {
    const totals = outcomeKinds
      .map((outcome, index) => ({
        outcome,
        turns: 1,
        usage: { ...noUsage, calls: 2 },
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
});
