import { describe, expect, it } from 'vitest';
import { duration, progressText } from '../../../domain/runs/progress-text.js';
import { noTotals } from '../../../domain/runs/run-totals.js';

describe('progressText', () => {
  it('estimates the time left from what ended since it began to watch', () => {
    const text = progressText({
      samples: 40,
      inFlight: 8,
      totals: {
        ...noTotals,
        outcomes: { answered: 19, 'infra-error': 1 },
        turns: 71,
        usage: {
          promptTokens: 34_000,
          completionTokens: 900,
          cachedTokens: 0,
          calls: 71,
          retries: 0,
        },
        cost: { usd: 0.123, unpricedCalls: 0 },
      },
      elapsedMs: 60_000,
      endedBefore: 10,
    });
    expect(text).toBe(
      '19/40 done · 1 failed · 8 in flight · 71 turns · 35k tokens · $0.12 · about 2 min left',
    );
  });

  it('estimates nothing before anything has ended', () => {
    const moment = { samples: 2, inFlight: 2, totals: noTotals, elapsedMs: 5_000, endedBefore: 0 };
    expect(progressText(moment)).toBe('0/2 done · 2 in flight · 0 turns · 0 tokens');
  });
});

describe('duration', () => {
  it.each([
    [40_000, '40 s'],
    [89_000, '89 s'],
    [720_000, '12 min'],
    [11_100_000, '3 h 5 min'],
  ])('writes %i ms as %s', (ms, text) => expect(duration(ms)).toBe(text));
});
