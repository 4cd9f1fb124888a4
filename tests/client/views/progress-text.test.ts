import { describe, expect, it } from 'vitest';
import { openLedger } from '../../../domain/budget/ledger.js';
import {
  progressLines,
  progressText,
  type ProgressMoment,
} from '../../../client/views/progress-text.js';
import { runProgress } from '../../../domain/runs/run-progress.js';
import { emptyRun, recordStarted, type RunState } from '../../../domain/runs/run-state.js';
import { noTotals } from '../../../domain/runs/run-totals.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';
import { sampleKey } from '../../support/runs/example-records.js';

const { run } = exampleManifest();

const begun = recordStarted(
  { ...emptyRun, samples: 40 },
  ['a', 'b'].map((name) => sampleKey(name)),
);
const midway: RunState = {
  ...begun,
  totals: {
    ...noTotals,
    outcomes: { answered: 19, 'infra-error': 1 },
    turns: 71,
    usage: { ...noTotals.usage, promptTokens: 34_000, completionTokens: 900, calls: 71 },
    cost: { usd: 0.123, unpricedCalls: 0 },
    scores: { total: 10, scored: 19, unscored: 1 },
  },
};

const momentOf = (state: RunState, changes: Partial<ProgressMoment> = {}): ProgressMoment => ({
  run,
  progress: runProgress(state, 8),
  rates: null,
  headline: null,
  failures: [],
  slowest: [],
  limits: [],
  nowMs: 100_000,
  ...changes,
});
const rates = { endedPerSecond: 1 / 6, turnsPerSecond: 0.52, callsPerSecond: 12.4 };

describe('progressText', () => {
  it('puts the progress on one line', () => {
    expect(progressText(momentOf(midway, { rates }))).toBe(
      '19/40 done · 1 failed · 2 in flight · 71 turns · 35k tokens · $0.12 · about 2 min left',
    );
  });

  it('estimates nothing before a question has ended, and shows why a run is held', () => {
    expect(progressText(momentOf(begun))).toBe('0/40 done · 2 in flight · 0 turns · 0 tokens');
    expect(progressText(momentOf({ ...midway, paused: true }, { rates }))).toMatch(
      /\$0\.12 · paused: `turnwise resume a-run` continues it$/,
    );
  });
});

describe('progressLines', () => {
  const slow = { ...sampleKey('a'), turns: 1, movedAtMs: 0, doing: { kind: 'unclaimed' as const } };

  it('show everything that is known', () => {
    const headline = {
      samples: 40,
      scorable: 40,
      scored: 19,
      unresolved: 21,
      score: {
        mean: 10 / 19,
        interval: { low: 0.31, high: 0.73 },
        method: 'wilson' as const,
        standardError: null,
        clusters: 19,
      },
      bounds: null,
    };
    const failures = ['1 × ModelUnavailable: no'];
    const limits = ['an account: 12 calls at once'];
    const deadline = { ...midway, deadline: 0 };
    const moment = momentOf(deadline, { rates, headline, failures, limits, slowest: [slow] });
    expect(progressLines(moment)).toEqual([
      '20 of 40 questions ended (50 %) · 2 in flight · at most 8 at once',
      '19 answered · 1 infra-error',
      '1 × ModelUnavailable: no',
      'score 0.526 so far, 95 % between 0.310 and 0.730, of 19 scored',
      '71 turns · 0.5 turns and 12 calls a second · 34k prompt and 900 completion tokens',
      '$0.12 · about $0.25 expected in all',
      'an account: 12 calls at once',
      'about 2 min left · ends at 1970-01-01T00:00:00.000Z at the latest',
      'a after turn 1, for 2 min: waits for a worker',
    ]);
  });

  it('leave out what is unknown', () => {
    expect(progressLines(momentOf(begun))).toEqual([
      '0 of 40 questions ended (0 %) · 2 in flight · at most 8 at once',
      '0 turns · 0 prompt and 0 completion tokens',
    ]);
    expect(progressLines(momentOf(midway))).toContain('score 0.526 so far, of 19');
  });

  it('show the spending of a budget, and a hold once', () => {
    const ledger = openLedger({ usd: 2, tokens: 50_000 }, { usd: 1.9, tokens: 40_000 });
    const lines = progressLines(
      momentOf({ ...midway, ledger, paused: true }, { slowest: [slow], rates }),
    );
    expect(lines.slice(-2)).toEqual([
      '$1.90 of $2.00 spent · about $0.25 expected in all · 40k of 50k tokens spent',
      'paused: `turnwise resume a-run` continues it',
    ]);
  });
});
