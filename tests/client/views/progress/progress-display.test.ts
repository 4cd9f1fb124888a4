import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ProgressDisplay } from '../../../../client/views/progress/progress-display.js';
import type { ProviderAccount, RunSnapshot } from '../../../../client/runs/status/run-snapshot.js';
import { noTotals } from '../../../../domain/runs/run-totals.js';
import type { SlowQuestion } from '../../../../domain/runs/workflow-details.js';
import { runProgress, type RunProgress } from '../../../../domain/runs/run-progress.js';
import { emptyRun } from '../../../../domain/runs/run-state.js';
import { sampleKey } from '../../../support/runs/example-records.js';
import { exampleManifest } from '../../../support/runs/example-manifest.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const progress = (answered: number, paused = false): RunProgress =>
  runProgress(
    { ...emptyRun, samples: 10, paused, totals: { ...noTotals, outcomes: { answered } } },
    1,
  );

const up = (rows: number): string => `\u001b[${rows}A\r\u001b[J`;

const snapshot: RunSnapshot = {
  run: exampleManifest().run,
  takenAtMs: 0,
  stored: null,
  live: null,
  accounts: [],
};
const account: ProviderAccount = {
  baseUrl: 'https://a.provider/v1',
  model: 'm',
  summary: {
    workers: 1,
    requests: { advertised: null, estimated: null },
    tokens: { advertised: null, estimated: null },
    acceptedPerMinute: 0,
    refusedPerMinute: 0,
    waiting: 0,
    inFlight: 12,
    waitsFor: null,
    pauseMs: 0,
    outage: null,
  },
};

function displayOn(isTTY: boolean, takeSnapshot?: () => Promise<RunSnapshot | null>) {
  const written: string[] = [];
  const write = (text: string): boolean => written.push(text) > 0;
  const out = { write, isTTY, columns: 80, rows: 24 };
  return { display: new ProgressDisplay(out, exampleManifest().run, takeSnapshot), written };
}

it('redraws the lines of a terminal when they change, and removes them at the end', async () => {
  const { display, written } = displayOn(true);
  display.onProgress(progress(1));
  display.onProgress(progress(1));
  display.onProgress(progress(2));
  display.onSilence('no answer');
  await display.finish();
  expect(written).toHaveLength(4);
  expect(written[1]).toContain(`${up(4)}2 of 10 questions ended`);
  expect(written[2]).toMatch(/waiting for Temporal and a worker \(no answer\)\n$/);
  expect(written[3]).toBe(up(1));
});

it('takes a snapshot now and then, never two at once, and continues where one fails', async () => {
  const pending: ((snapshot: RunSnapshot | null) => void)[] = [];
  const { display, written } = displayOn(
    true,
    () => new Promise((resolve) => void pending.push(resolve)),
  );
  const seconds = async (count: number, answered: number): Promise<void> => {
    for (let second = 0; second < count; second += 1) {
      display.onProgress(progress(answered));
      await vi.advanceTimersByTimeAsync(1000);
    }
  };
  await seconds(8, 1);
  expect(pending).toHaveLength(1);
  pending[0]?.({ ...snapshot, accounts: [account] });
  await seconds(2, 1);
  expect(written.at(-1)).toMatch(/a\.provider, model m: .* 12 in flight/);
  await seconds(8, 2);
  expect(pending).toHaveLength(2);
  const finished = display.finish();
  pending[1]?.(snapshot);
  await finished;
  display.onProgress(progress(3));
  expect(pending).toHaveLength(2);

  const failing = displayOn(true, () => Promise.reject(new Error('gone')));
  failing.display.onProgress(progress(1));
  await failing.display.finish();
});

it('prints nothing without a terminal for a short run, and few lines for a long one', async () => {
  const { display, written } = displayOn(false, () => Promise.reject(new Error('gone')));
  for (let seconds = 0; seconds < 7200; seconds += 1) {
    display.onProgress(progress(Math.floor(seconds / 720)));
    await vi.advanceTimersByTimeAsync(1000);
  }
  await display.finish();
  expect(written[0]).toMatch(/^0\/10 done .*\n$/);
  expect(written.length).toBeGreaterThan(20);
  expect(written.length).toBeLessThan(80);
});

it('says without a terminal what the slowest question waits for', async () => {
  const slowest: SlowQuestion = {
    ...sampleKey('q1'),
    turns: 0,
    movedAtMs: 0,
    doing: {
      kind: 'retries',
      activity: 'askModel',
      attempt: 4,
      attempts: 8,
      lastFailure: 'nothing listens at 127.0.0.1:9',
    },
  };
  const asked = (): Promise<RunSnapshot> =>
    Promise.resolve({
      ...snapshot,
      takenAtMs: 18_000,
      live: { kind: 'open', progress: progress(0), slow: [slowest] },
    });
  const { display, written } = displayOn(false, asked);
  display.onProgress(progress(0));
  await vi.advanceTimersByTimeAsync(20_000);
  display.onProgress(progress(0));
  await vi.advanceTimersByTimeAsync(0);
  await display.finish();
  expect(written).toEqual([
    expect.stringMatching(
      /^0\/10 done .* · q1 in its first turn, for 18 s: model call, try 4 of 8; the last failed: nothing listens at 127\.0\.0\.1:9\n$/,
    ),
  ]);
});

it('reports at once without a terminal that a run is held, and that it continues', () => {
  const { display, written } = displayOn(false);
  display.onProgress(progress(1));
  display.onProgress(progress(1, true));
  display.onProgress(progress(1, true));
  display.onProgress(progress(1));
  expect(written).toEqual([
    expect.stringMatching(/paused: `turnwise resume a-run`/),
    expect.stringMatching(/^1\/10 done · 0 turns · 0 tokens · .*\n$/),
  ]);
});

it('shows nothing before the run is open', async () => {
  const { display, written } = displayOn(true);
  const unopened = progress(0);
  display.onProgress({ ...unopened, summary: { ...unopened.summary, samples: 0 } });
  await display.finish();
  expect(written).toEqual([]);
});
