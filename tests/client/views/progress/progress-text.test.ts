import { describe, expect, it } from 'vitest';
import type { StoredRun } from '../../../../client/runs/status/run-snapshot.js';
import { openLedger } from '../../../../domain/budget/ledger.js';
import {
  progressLines,
  progressText,
  type OpenRun,
} from '../../../../client/views/progress/progress-display.js';
import { runProgress } from '../../../../domain/runs/run-progress.js';
import { emptyRun, recordStarted, type RunState } from '../../../../domain/runs/run-state.js';
import type { AccountSummary } from '../../../../domain/rate-limits/account-state.js';
import { noTotals } from '../../../../domain/runs/run-totals.js';
import { exampleManifest } from '../../../support/runs/example-manifest.js';
import { exampleEnd, sampleKey } from '../../../support/runs/example-records.js';

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

const snapshotOf = (state: RunState, changes: Partial<OpenRun> = {}): OpenRun => ({
  run,
  takenAtMs: 100_000,
  stored: null,
  live: { kind: 'open', progress: runProgress(state, 8), slow: [] },
  accounts: [],
  ...changes,
});
const rates = { endedPerSecond: 1 / 6, turnsPerSecond: 0.52, callsPerSecond: 12.4 };

describe('progressText', () => {
  it('fits what there is to say on a line', () => {
    expect(progressText(run, runProgress(midway, 8), rates)).toBe(
      '19/40 done · 1 failed · 2 in flight · 71 turns · 35k tokens · $0.12 · about 2 min left',
    );
  });

  it('shows what calls of questions in flight have taken, where nothing has ended', () => {
    const progress = runProgress(begun, 8);
    const budget = { ...progress.summary.budget, spent: { usd: 0.5, tokens: 12_000 } };
    expect(progressText(run, { ...progress, summary: { ...progress.summary, budget } }, null)).toBe(
      '0/40 done · 2 in flight · 0 turns · 12k tokens · $0.50 · so far, with questions in flight',
    );
  });

  it('estimates nothing before anything has ended, and says why nothing goes on', () => {
    expect(progressText(run, runProgress(begun, 8), null)).toBe(
      '0/40 done · 2 in flight · 0 turns · 0 tokens',
    );
    expect(progressText(run, runProgress({ ...midway, paused: true }, 8), rates)).toMatch(
      /\$0\.12 · paused: `turnwise resume a-run` continues it$/,
    );
  });
});

describe('progressLines', () => {
  const slow = { ...sampleKey('a'), turns: 1, movedAtMs: 0, doing: { kind: 'unclaimed' as const } };

  it('show everything that is known', () => {
    const headline = {
      scale: 'unit',
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
    const { result } = exampleEnd(sampleKey('b'));
    const outcome = { kind: 'infra-error', failure: 'ModelUnavailable', message: 'no' } as const;
    const stored = {
      results: [{ ...result, outcome }],
      figures: { totals: midway.totals },
      ledger: { headlines: [headline] },
      // The lines are made of nothing else.
    } as unknown as StoredRun;
    const limit = { advertised: null, estimated: null };
    const summary: AccountSummary = {
      workers: 1,
      requests: limit,
      tokens: limit,
      acceptedPerMinute: 30,
      refusedPerMinute: 0,
      waiting: 0,
      inFlight: 12,
      waitsFor: null,
      pauseMs: 0,
      outage: null,
    };
    const snapshot = snapshotOf(begun, {
      stored,
      live: { kind: 'open', progress: runProgress({ ...midway, deadline: 0 }, 8), slow: [slow] },
      accounts: [{ baseUrl: 'https://a.provider/v1', model: 'm', summary }],
    });
    expect(progressLines(snapshot, rates)).toEqual([
      '20 of 40 questions ended (50 %) · 2 in flight · at most 8 at once',
      '19 answered · 1 infra-error',
      '1 × ModelUnavailable: no',
      'score 0.526 so far, 95 % between 0.310 and 0.730, of 19 scored',
      '71 turns · 0.5 turns and 12 calls a second · 34k prompt and 900 completion tokens',
      '$0.12 · about $0.25 expected in all',
      expect.stringMatching(
        /^a\.provider, model m: .*30 calls a minute · 12 in flight · 1 worker$/,
      ),
      'about 2 min left · ends at 1970-01-01T00:00:00.000Z at the latest',
      'a after turn 1, for 2 min: waits for a worker',
    ]);
  });

  it('leave out what nobody knows yet', () => {
    expect(progressLines(snapshotOf(begun), null)).toEqual([
      '0 of 40 questions ended (0 %) · 2 in flight · at most 8 at once',
      '0 turns · 0 prompt and 0 completion tokens',
    ]);
    expect(progressLines(snapshotOf(midway), null)).toContain('score 0.526 so far, of 19');
  });

  it('show the spending of a budget, and a hold once', () => {
    const ledger = openLedger({ usd: 2, tokens: 50_000 }, { usd: 1.9, tokens: 40_000 });
    const progress = runProgress({ ...midway, ledger, paused: true }, 8);
    const lines = progressLines(
      snapshotOf(begun, { live: { kind: 'open', progress, slow: [slow] } }),
      rates,
    );
    expect(lines.slice(-2)).toEqual([
      '$1.90 of $2.00 spent · about $0.25 expected in all · 40k of 50k tokens spent',
      'paused: `turnwise resume a-run` continues it',
    ]);
  });
});
