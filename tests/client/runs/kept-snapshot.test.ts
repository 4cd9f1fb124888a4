import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { KeptSnapshot } from '../../../client/runs/kept-snapshot.js';
import type { RunSnapshot } from '../../../client/runs/run-snapshot.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A look that takes as long as it is held. */
function looking(status: 'running' | 'done' = 'running') {
  const looks: { readonly end: () => Promise<void>; readonly fail: () => Promise<void> }[] = [];
  const kept = new KeptSnapshot(
    () =>
      new Promise((resolve, reject) => {
        const nowMs = looks.length;
        looks.push({
          end: async () => {
            // All that is looked at here.
            resolve({ manifest: { ...exampleManifest(), status }, nowMs } as RunSnapshot);
            await vi.advanceTimersByTimeAsync(0);
          },
          fail: async () => {
            reject(new Error('no server'));
            await vi.advanceTimersByTimeAsync(0);
          },
        });
      }),
  );
  return { kept, looks };
}

it('looks once for all who ask meanwhile, and again for who asks later', async () => {
  const { kept, looks } = looking();
  const [first, second] = [kept.look(), kept.look()];
  expect(kept.latest).toBe(null);
  await looks[0]?.end();
  expect(await first).toBe(await second);
  expect(kept.latest).toBe(await first);
  void kept.look();
  expect(looks).toHaveLength(2);
});

it('goes on looking at a run that is under way, the more rarely the longer a look takes', async () => {
  const { kept, looks } = looking();
  void kept.look();
  await looks[0]?.end();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(looks).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1_000);
  await looks[1]?.end();
  await vi.advanceTimersByTimeAsync(19_000);
  expect(looks).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(looks).toHaveLength(3);
  expect(kept.latest?.nowMs).toBe(1);
});

it('leaves alone a run that has ended, and one that is forgotten', async () => {
  for (const status of ['done', 'running'] as const) {
    const { kept, looks } = looking(status);
    void kept.look();
    if (status === 'running') kept.forget();
    await looks[0]?.end();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(looks).toHaveLength(1);
  }
});

it('leaves alone what it cannot look at, until somebody asks again', async () => {
  const { kept, looks } = looking();
  const failed = expect(kept.look()).rejects.toThrow('no server');
  await looks[0]?.fail();
  await failed;
  await vi.advanceTimersByTimeAsync(600_000);
  expect(looks).toHaveLength(1);
  void kept.look();
  expect(looks).toHaveLength(2);
});

it('forgets what it saw before the run was changed, and looks again by itself', async () => {
  const { kept, looks } = looking();
  void kept.look();
  kept.outdate();
  await looks[0]?.end();
  expect(kept.latest).toBe(null);
  await vi.advanceTimersByTimeAsync(3_000);
  await looks[1]?.end();
  expect(kept.latest?.nowMs).toBe(1);
});
