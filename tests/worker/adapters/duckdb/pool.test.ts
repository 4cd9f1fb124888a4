import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createPool } from '../../../../worker/adapters/duckdb/pool.js';

const { signal } = new AbortController();
let done: string[];
let begun: Promise<unknown>[];
/** Of one item, `red`, that a first task has until `end`. The others name the item that suits them. */
let begin: (name: string, wish: string, signal?: AbortSignal) => Promise<unknown>;
let end: () => void;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  const inOrder = createPool(['red'], (item, wish: string) => item === wish);
  done = [];
  begin = (name, wish, given = signal) => {
    const task = inOrder(wish, () => Promise.resolve(done.push(name)), given);
    begun.push(task);
    return task;
  };
  const first = new Promise<void>((resolve) => {
    end = resolve;
  });
  begun = [inOrder('red', () => first, signal)];
});
afterEach(() => {
  vi.useRealTimers();
});

it('gives an item to the first task that it suits', async () => {
  void begin('blue', 'blue');
  void begin('red', 'red');
  void begin('red as well', 'red');
  end();
  await Promise.all(begun);
  expect(done).toEqual(['red', 'red as well', 'blue']);
});

it('lets nobody pass the first in the queue for long', async () => {
  void begin('blue', 'blue');
  vi.advanceTimersByTime(1001);
  void begin('red', 'red');
  end();
  await Promise.all(begun);
  expect(done).toEqual(['blue', 'red']);
});

it('passes over a task whose signal has aborted', async () => {
  const leaving = new AbortController();
  const left = begin('gone', 'red', leaving.signal);
  void begin('red', 'red');
  leaving.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  end();
  await Promise.allSettled(begun);
  expect(done).toEqual(['red']);
});

it('waits a moment for the item that suits it, and then takes another', async () => {
  const inOrder = createPool(['red', 'blue'], (item, wish: string) => item === wish);
  const taken: string[] = [];
  const take = (wish: string, task = Promise.resolve()): Promise<unknown> =>
    inOrder(wish, (item) => task.then(() => taken.push(`${wish} on ${item}`)), signal);
  const first = take('red', new Promise((resolve) => (end = resolve)));
  const waiting = take('red');
  await take('green');
  expect(taken).toEqual(['green on blue']);
  await vi.advanceTimersByTimeAsync(20);
  await waiting;
  expect(taken.at(-1)).toBe('red on blue');
  const again = take('red');
  end();
  await Promise.all([first, again]);
  expect(taken.slice(2)).toEqual(['red on red', 'red on red']);
});
