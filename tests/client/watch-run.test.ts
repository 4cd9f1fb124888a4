import { expect, it } from 'vitest';
import type { RunHandle } from '../../client/start-run.js';
import { watchRun } from '../../client/watch-run.js';
import { Interrupted } from '../../client/user-error.js';
import { noTotals } from '../../domain/runs/run-totals.js';

const never = new Promise<never>(() => undefined);
const progress = { samples: 2, totals: noTotals, inFlight: [] };

/** The part of a handle that a watcher asks, with what it answers. */
const handle = (answers: Pick<RunHandle, 'result' | 'query'>): RunHandle =>
  // watchRun calls nothing else.
  answers as RunHandle;

function listener() {
  const heard: string[] = [];
  return {
    heard,
    onProgress: () => void heard.push('progress'),
    onSilence: (reason: string) => void heard.push(reason),
  };
}

it('follows a run through a lost connection to its end, and says what the connection said', async () => {
  const results = [
    () => Promise.reject(new Error('gRPC', { cause: new Error('connect ECONNREFUSED') })),
    () => Promise.resolve(noTotals),
  ];
  const watcher = listener();
  const end = await watchRun(
    handle({
      result: () => results.shift()?.() ?? never,
      query: <T>() => Promise.resolve(progress as T),
    }),
    watcher,
    never,
  );
  expect(end).toEqual({ kind: 'done', totals: noTotals });
  expect(watcher.heard).toContain('connect ECONNREFUSED');
});

it('ends at once when it is interrupted, and tells the watcher no more', async () => {
  const watcher = listener();
  let failQuery = (): void => undefined;
  const query = new Promise<never>((_, reject) => {
    failQuery = () => reject(new Error('the server is gone'));
  });
  const watching = watchRun(
    handle({ result: () => never, query: () => query }),
    watcher,
    Promise.reject(new Interrupted('SIGINT')),
  );
  await expect(watching).rejects.toBeInstanceOf(Interrupted);
  failQuery();
  await query.catch(() => undefined);
  expect(watcher.heard).toEqual([]);
});
