import { shownLimits } from '../../../client/runs/steering/tuning-options.js';
import type { RunData } from '../../../client/views/web/page-data.js';

/** What the page of a run under way is sent. */
export const liveRunData = (change: Partial<RunData> = {}): RunData => ({
  run: 'live',
  state: 'running',
  stateText: 'running',
  elapsedMs: 600_000,
  lines: [],
  notes: [],
  ended: 3,
  samples: 40,
  scores: [{ scale: '', mean: 0.667, interval: { low: 0.2, high: 0.94 }, rulings: null }],
  cost: '$0.12',
  outcomes: [{ name: 'answered', count: 3 }],
  failed: 0,
  failures: [],
  live: {
    concurrency: 8,
    inFlight: 5,
    waiting: 1,
    leftMs: 7_200_000,
    deadline: null,
    budget: {
      usd: { spent: 0.12, reserved: 0.01, cap: 2 },
      tokens: { spent: 48_783, reserved: 0, cap: null },
    },
    limits: shownLimits({ concurrency: 8, budget: { usd: 2, tokens: null }, deadline: null }),
    accounts: [
      {
        name: 'a-model at api.example',
        inFlight: 5,
        waiting: 2,
        acceptedPerMinute: 120,
        refusedPerMinute: 3,
        text: 'about 130 requests a minute, as refusals have shown',
      },
    ],
    slow: [{ uuid: 'q7', epoch: 1, text: 'q7 after turn 3, for 4 min: model call' }],
    turns: [
      {
        uuid: 'q1',
        epoch: 1,
        turn: 2,
        action: 'RetrieveFromDatabase',
        text: `SELECT ${'column_with_a_long_name, '.repeat(6)}1`,
        at: '2026-11-25T04:02:46.000Z',
        ms: 6_200,
      },
    ],
  },
  sections: null,
  temporalUrl: 'http://127.0.0.1:1/namespaces/default/workflows/live',
  ...change,
});
