import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ProgressDisplay } from '../../client/progress-display.js';
import { noTotals } from '../../domain/runs/run-totals.js';
import { runStanding, type RunProgress } from '../../domain/runs/run-progress.js';
import { emptyRun } from '../../domain/runs/run-state.js';

const clearLine = '\r\u001b[2K';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const progress = (answered: number): RunProgress => ({
  samples: 10,
  totals: { ...noTotals, outcomes: { answered } },
  inFlight: [],
  waiting: [],
  standing: runStanding(emptyRun, 1),
});

function displayOn(isTTY: boolean, columns = 80) {
  const written: string[] = [];
  const write = (text: string): boolean => written.push(text) > 0;
  return { display: new ProgressDisplay({ write, isTTY, columns }), written };
}

it('rewrites one line of a terminal, never longer than it, and leaves none', () => {
  const { display, written } = displayOn(true, 24);
  display.onProgress(progress(1));
  display.onProgress(progress(1));
  display.onProgress(progress(2));
  display.finish();
  expect(written).toHaveLength(3);
  expect(written[1]).toBe(`${clearLine}2/10 done · 0 turns · …`);
  expect(written[2]).toBe(clearLine);
});

it('says nothing elsewhere while a run is short, and little while it is long', () => {
  const { display, written } = displayOn(false);
  for (let seconds = 0; seconds < 60; seconds += 1) {
    display.onProgress(progress(Math.floor(seconds / 10)));
    vi.advanceTimersByTime(1000);
  }
  display.finish();
  expect(written).toHaveLength(2);
  expect(written.join('')).toMatch(/^2\/10 done .*\n4\/10 done .*\n$/);
});

it('shows nothing of a run that has not been opened', () => {
  const { display, written } = displayOn(true);
  display.onProgress({ ...progress(0), samples: 0 });
  display.finish();
  expect(written).toEqual([]);
});
