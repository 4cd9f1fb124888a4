import { once } from 'node:events';
import { expect, it } from 'vitest';
import type { RunHandle } from '../../../client/runs/start-run.js';
import { watchRun } from '../../../client/runs/watch-run.js';
import { Interrupted } from '../../../client/services/user-error.js';
import { CancelledFailure } from '@temporalio/common';
import { WorkflowFailedError } from '@temporalio/client';
import { runProgress, type RunProgress } from '../../../domain/runs/run-progress.js';
import { emptyRun, recordStarted, recordWaiting } from '../../../domain/runs/run-state.js';
import { noTotals, type RunTotals } from '../../../domain/runs/run-totals.js';
import { sampleKey } from '../../support/runs/example-records.js';

const never = new Promise<never>(() => undefined);
const progress = runProgress(emptyRun, 1);

/** The part of a handle that a watcher asks, with what it answers. */
const handle = (answers: Pick<RunHandle, 'result' | 'query'>): RunHandle =>
  // watchRun calls nothing else.
  ({ ...answers, client: { withAbortSignal: unlessAborted } }) as unknown as RunHandle;

const unlessAborted = <T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> =>
  Promise.race([ask(), once(signal, 'abort').then(() => Promise.reject(new Error('aborted')))]);

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

it('neither waits for a look at a run that has ended nor begins one', async () => {
  let looks = 0;
  const end = await watchRun(
    handle({
      result: () => Promise.resolve(noTotals),
      query: () => {
        looks += 1;
        return never;
      },
    }),
    listener(),
    never,
  );
  expect(end).toEqual({ kind: 'done', totals: noTotals });
  expect(looks).toBe(1);
});

it('does not look once more at a run that ends between two looks', async () => {
  let looks = 0;
  let endRun = (): void => undefined;
  const result = new Promise<RunTotals>((resolve) => {
    endRun = () => resolve(noTotals);
  });
  const watcher = { ...listener(), onProgress: () => void setImmediate(endRun) };
  const query = <T>(): Promise<T> => {
    looks += 1;
    return Promise.resolve(progress as T);
  };
  const end = await watchRun(handle({ result: () => result, query }), watcher, never);
  expect(end).toEqual({ kind: 'done', totals: noTotals });
  expect(looks).toBe(1);
});

it('tells a cancelled run from one that failed', async () => {
  const cancelled = new WorkflowFailedError(
    'failed',
    new CancelledFailure('by hand'),
    'NON_RETRYABLE_FAILURE',
  );
  const end = await watchRun(
    handle({
      result: () => Promise.reject(cancelled),
      query: <T>() => Promise.resolve(progress as T),
    }),
    listener(),
    never,
  );
  expect(end).toEqual({ kind: 'cancelled' });
});

const parked = runProgress(
  recordWaiting(recordStarted({ ...emptyRun, samples: 1 }, [sampleKey('a')]), {
    ...sampleKey('a'),
    reason: 'budget',
    message: 'no',
    until: null,
    need: null,
    failure: null,
  }),
  1,
);

it('leaves a run that stays parked, where that is wished', async () => {
  const looks: RunProgress[] = [parked, progress, ...Array.from({ length: 50 }, () => parked)];
  const asked = handle({
    result: () => never,
    query: <T>() => Promise.resolve((looks.shift() ?? parked) as T),
  });
  const end = await watchRun(asked, { ...listener(), leavesWhenParked: true, pollMs: 1 }, never);
  expect(end).toEqual({ kind: 'parked', progress: parked });
  // The first look was followed by another; it takes ten in a row.
  expect(looks).toHaveLength(50 - 10);
});

it('leaves a run with which no worker can go on, once it was silent for ten looks in a row', async () => {
  const looks = [false, ...Array.from({ length: 8 }, () => true), false];
  let asked = 0;
  const silent = handle({
    result: () => never,
    query: <T>() =>
      (looks.shift() ?? true) ? Promise.reject(new Error('no')) : Promise.resolve(progress as T),
  });
  const whyStuck = (): Promise<string | null> =>
    Promise.resolve((asked += 1) === 2 ? 'its workflow cannot go on' : null);
  const end = await watchRun(silent, { ...listener(), whyStuck, pollMs: 1 }, never);
  expect(end).toEqual({ kind: 'failed', message: 'its workflow cannot go on' });
  expect(looks).toEqual([]);
});
