import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { withLock } from '../../../worker/embedded/lock.js';

describe('the lock', () => {
  let folder: string;
  let path: string;
  const never = new AbortController().signal;
  const untold = { signal: never, onWait: () => undefined };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'turnwise-lock-'));
    path = join(folder, 'x.lock');
  });

  function leaveLockOf(pid: number, startTime: string): void {
    mkdirSync(path);
    const owner = { pid, startTime, commandMark: 'node' };
    writeFileSync(join(path, 'owner.json'), JSON.stringify(owner));
  }

  it('lets one in at a time, and leaves nothing behind', async () => {
    let inside = 0;
    let most = 0;
    const enter = (): Promise<void> =>
      withLock(path, untold, async () => {
        inside += 1;
        most = Math.max(most, inside);
        await new Promise(setImmediate);
        inside -= 1;
      });
    await Promise.all([enter(), enter(), enter(), enter()]);
    expect(most).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('takes over the lock of a process that died', async () => {
    leaveLockOf(process.pid, 'another life of this pid');
    await expect(withLock(path, untold, () => Promise.resolve('in'))).resolves.toBe('in');
  });

  it('lets only one of many take over', async () => {
    leaveLockOf(process.pid, 'another life of this pid');
    let inside = 0;
    const entries = Array.from({ length: 8 }, () =>
      withLock(path, untold, async () => {
        inside += 1;
        await new Promise(setImmediate);
        const seen = inside;
        inside -= 1;
        return seen;
      }),
    );
    expect(await Promise.all(entries)).toEqual(Array(8).fill(1));
  });

  it('is free again after its action failed', async () => {
    const failing = withLock(path, untold, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('tells who holds it, and stops waiting when told to', async () => {
    const stop = new AbortController();
    const waitedFor: number[] = [];
    await withLock(path, untold, async () => {
      const second = withLock(
        path,
        {
          signal: stop.signal,
          onWait: (pid) => {
            waitedFor.push(pid);
            stop.abort();
          },
        },
        () => Promise.resolve(),
      );
      await expect(second).rejects.toMatchObject({ name: 'AbortError' });
    });
    expect(waitedFor).toEqual([process.pid]);
  });
});
