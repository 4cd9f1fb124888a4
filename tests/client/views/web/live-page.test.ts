import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LivePage, type LiveEvent } from '../../../../client/views/web/live-page.js';
import { UserError } from '../../../../domain/user-error.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const data = (value: unknown): LiveEvent => ({ kind: 'data', json: JSON.stringify(value) });

describe('a page that somebody looks at', () => {
  it('sends what has changed, and only that', async () => {
    const loaded = [1, 1, 2];
    const page = new LivePage(() => Promise.resolve({ data: loaded.shift(), refreshMs: 1_000 }));
    const events: LiveEvent[] = [];
    page.watch((event) => events.push(event));
    await vi.advanceTimersByTimeAsync(2_500);
    expect(events).toEqual([data(1), data(2)]);
    expect(loaded).toEqual([]);
  });

  it('is loaded once for all who look, and no more when nobody does', async () => {
    let loads = 0;
    let idle = 0;
    const page = new LivePage(
      () => Promise.resolve({ data: (loads += 1), refreshMs: 1_000 }),
      () => (idle += 1),
    );
    const late: LiveEvent[] = [];
    const leave = page.watch(() => undefined);
    await vi.advanceTimersByTimeAsync(10);
    const leaveLate = page.watch((event) => late.push(event));
    expect(late).toEqual([data(1)]);
    leave();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(late).toEqual([data(1), data(2)]);
    leaveLate();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(loads).toBe(2);
    expect(idle).toBe(1);
  });

  it('says why the data are missing, and goes on', async () => {
    let failures = 1;
    const page = new LivePage(() =>
      failures-- > 0
        ? Promise.reject(new UserError('no services run'))
        : Promise.resolve({ data: 1, refreshMs: null }),
    );
    const events: LiveEvent[] = [];
    page.watch((event) => events.push(event));
    await vi.advanceTimersByTimeAsync(3_000);
    expect(events).toEqual([
      { kind: 'problem', json: '{"error":"no services run"}' },
      data(1),
      { kind: 'end' },
    ]);
  });

  it('is loaded at once after something was done', async () => {
    let loads = 0;
    const page = new LivePage(() => Promise.resolve({ data: (loads += 1), refreshMs: 60_000 }));
    const events: LiveEvent[] = [];
    page.watch((event) => events.push(event));
    await vi.advanceTimersByTimeAsync(10);
    page.hasten();
    await vi.advanceTimersByTimeAsync(10);
    expect(events).toEqual([data(1), data(2)]);
  });
});
