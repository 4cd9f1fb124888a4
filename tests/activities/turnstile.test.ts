import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTurnstile, type Turnstile } from '../../activities/turnstile.js';

describe('a turnstile', () => {
  let through: string[];
  let turnstile: Turnstile;
  beforeEach(() => {
    vi.useFakeTimers();
    through = [];
    turnstile = createTurnstile({ places: 2, mostMs: 100 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  async function come(...all: readonly string[]): Promise<void> {
    for (const who of all) void turnstile.enter(who).then(() => through.push(who));
    await vi.advanceTimersByTimeAsync(0);
  }

  async function leave(who: string): Promise<void> {
    turnstile.leave(who);
    await vi.advanceTimersByTimeAsync(0);
  }

  it('lets the others through in their order as places become free', async () => {
    await come('a', 'b', 'c', 'd');
    expect(through).toEqual(['a', 'b']);
    await leave('b');
    await leave('b');
    await leave('unknown');
    expect(through).toEqual(['a', 'b', 'c']);
    await leave('a');
    expect(through).toEqual(['a', 'b', 'c', 'd']);
  });

  it('holds nobody up for one who stays', async () => {
    await come('a', 'b', 'c');
    await vi.advanceTimersByTimeAsync(99);
    expect(through).toEqual(['a', 'b']);
    await vi.advanceTimersByTimeAsync(1);
    expect(through).toEqual(['a', 'b', 'c']);
  });

  it('has its places again once all have left', async () => {
    await come('a', 'b');
    await leave('a');
    await leave('b');
    await come('c', 'd', 'e');
    expect(through).toEqual(['a', 'b', 'c', 'd']);
  });

  it('gives one that comes again its whole time', async () => {
    await come('a');
    await vi.advanceTimersByTimeAsync(60);
    await leave('a');
    await come('a', 'b', 'c');
    await vi.advanceTimersByTimeAsync(60);
    expect(through).toEqual(['a', 'a', 'b']);
  });
});
