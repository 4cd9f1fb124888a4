import { describe, expect, it } from 'vitest';
import { endReport } from '../../client/end-report.js';
import { noTotals, type RunTotals } from '../../domain/runs/run-totals.js';

const report = (totals: Partial<RunTotals>): string => endReport({ ...noTotals, ...totals }, []);

describe('endReport', () => {
  it('says what was paid, and what of the tokens was cheaper or unseen', () => {
    const text = report({
      turns: 9,
      usage: {
        ...noTotals.usage,
        promptTokens: 900,
        completionTokens: 80,
        cachedTokens: 600,
        reasoningTokens: 50,
        calls: 8,
        cacheHits: 1,
      },
      cost: { usd: 0.0123, unpricedCalls: 0 },
    });
    expect(text).toContain(
      '9 turns, 8 model calls, 900 prompt and 80 completion tokens (600 of the prompt cached, 50 of the completion reasoning, 1 replies from the cache)\ncost: $0.012\n',
    );
  });

  it('never takes an unknown price for nothing', () => {
    expect(report({ cost: { usd: 0, unpricedCalls: 8 } })).toContain(
      '\ncost: unknown; `prices:` in turnwise.yaml tells what the model costs\n',
    );
    expect(report({ cost: { usd: 1, unpricedCalls: 8 } })).toContain(
      '\ncost: $1.00 and 8 calls of unknown price; ',
    );
  });
});
