import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SnapshotCache } from '../../../../client/runs/status/status-reader.js';
import type { RunSnapshot } from '../../../../client/runs/status/run-snapshot.js';
import { exampleManifest } from '../../../support/runs/example-manifest.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Snapshots that end when the test says so. */
function cacheOf(status: 'running' | 'done' = 'running') {
  const snapshots: { readonly end: () => Promise<void>; readonly fail: () => Promise<void> }[] = [];
  const cache = new SnapshotCache(
    () =>
      new Promise((resolve, reject) => {
        const takenAtMs = snapshots.length;
        snapshots.push({
          end: async () => {
            // The cache reads nothing else.
            const stored = { manifest: { ...exampleManifest(), status } };
            resolve({ stored, takenAtMs } as unknown as RunSnapshot);
            await vi.advanceTimersByTimeAsync(0);
          },
          fail: async () => {
            reject(new Error('no server'));
            await vi.advanceTimersByTimeAsync(0);
          },
        });
      }),
  );
  return { cache, snapshots };
}

it('takes one snapshot for all concurrent callers, and a new one for a later caller', async () => {
  const { cache, snapshots } = cacheOf();
  const [first, second] = [cache.refresh(), cache.refresh()];
  expect(cache.latest).toBe(null);
  await snapshots[0]?.end();
  expect(await first).toBe(await second);
  expect(cache.latest).toBe(await first);
  void cache.refresh();
  expect(snapshots).toHaveLength(2);
});

it('goes on looking at a run that is under way, the more rarely the longer a look takes', async () => {
  const { cache, snapshots } = cacheOf();
  void cache.refresh();
  await snapshots[0]?.end();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(snapshots).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1_000);
  await snapshots[1]?.end();
  await vi.advanceTimersByTimeAsync(19_000);
  expect(snapshots).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(snapshots).toHaveLength(3);
  expect(cache.latest?.takenAtMs).toBe(1);
});

it('takes the next snapshot before one that took seconds is too old to be returned', async () => {
  const { cache, snapshots } = cacheOf();
  void cache.refresh();
  await vi.advanceTimersByTimeAsync(7_000);
  await snapshots[0]?.end();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(snapshots).toHaveLength(2);
});

it('does not refresh an ended run, nor after it is closed', async () => {
  for (const status of ['done', 'running'] as const) {
    const { cache, snapshots } = cacheOf(status);
    void cache.refresh();
    if (status === 'running') cache.close();
    await snapshots[0]?.end();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(snapshots).toHaveLength(1);
  }
});

it('does not refresh after a failure until a caller asks again', async () => {
  const { cache, snapshots } = cacheOf();
  const failed = expect(cache.refresh()).rejects.toThrow('no server');
  await snapshots[0]?.fail();
  await failed;
  await vi.advanceTimersByTimeAsync(600_000);
  expect(snapshots).toHaveLength(1);
  void cache.refresh();
  expect(snapshots).toHaveLength(2);
});

it('drops the snapshot of a run that was changed, and takes another by itself', async () => {
  const { cache, snapshots } = cacheOf();
  void cache.refresh();
  cache.invalidate();
  await snapshots[0]?.end();
  expect(cache.latest).toBe(null);
  await vi.advanceTimersByTimeAsync(3_000);
  await snapshots[1]?.end();
  expect(cache.latest?.takenAtMs).toBe(1);
});
