import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ProgressDisplay } from '../../../client/views/progress-display.js';
import { noDetails, type DisplayDetails } from '../../../client/views/display-details.js';
import { noTotals } from '../../../domain/runs/run-totals.js';
import { runProgress, type RunProgress } from '../../../domain/runs/run-progress.js';
import { emptyRun } from '../../../domain/runs/run-state.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const progress = (answered: number, paused = false): RunProgress =>
  runProgress(
    { ...emptyRun, samples: 10, paused, totals: { ...noTotals, outcomes: { answered } } },
    1,
  );

const up = (rows: number): string => `\u001b[${rows}A\r\u001b[J`;

function displayOn(isTTY: boolean, look?: (progress: RunProgress) => Promise<DisplayDetails>) {
  const written: string[] = [];
  const write = (text: string): boolean => written.push(text) > 0;
  const out = { write, isTTY, columns: 80, rows: 24 };
  return { display: new ProgressDisplay(out, exampleManifest().run, look), written };
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

it('reads details at intervals, never concurrently, and survives a failed read', async () => {
  const looks: ((seen: DisplayDetails) => void)[] = [];
  const { display, written } = displayOn(
    true,
    () => new Promise<DisplayDetails>((resolve) => void looks.push(resolve)),
  );
  const seconds = async (count: number, answered: number): Promise<void> => {
    for (let second = 0; second < count; second += 1) {
      display.onProgress(progress(answered));
      await vi.advanceTimersByTimeAsync(1000);
    }
  };
  await seconds(8, 1);
  expect(looks).toHaveLength(1);
  looks[0]?.({ ...noDetails, limits: ['an account: full'] });
  await seconds(2, 1);
  expect(written.at(-1)).toMatch(/an account: full/);
  await seconds(8, 2);
  expect(looks).toHaveLength(2);
  const finished = display.finish();
  looks[1]?.(noDetails);
  await finished;
  display.onProgress(progress(3));
  expect(looks).toHaveLength(2);

  const failing = displayOn(true, () => Promise.reject(new Error('gone')));
  failing.display.onProgress(progress(1));
  await failing.display.finish();
});

it('prints nothing without a terminal for a short run, and few lines for a long one', async () => {
  const { display, written } = displayOn(false, () => Promise.reject(new Error('not asked for')));
  for (let seconds = 0; seconds < 7200; seconds += 1) {
    display.onProgress(progress(Math.floor(seconds / 720)));
    vi.advanceTimersByTime(1000);
  }
  await display.finish();
  expect(written[0]).toMatch(/^0\/10 done .*\n$/);
  expect(written.length).toBeGreaterThan(20);
  expect(written.length).toBeLessThan(80);
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
