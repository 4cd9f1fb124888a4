import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { NotAtOnce, withPatience } from '../../activities/patience.js';

const never = new AbortController().signal;
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

describe('withPatience', () => {
  it('gives up what waits for too long', async () => {
    const work = withPatience(1, never, (signal, waits) => {
      waits(true);
      return untilAborted(signal);
    });
    await expect(work).rejects.toBeInstanceOf(NotAtOnce);
  });

  it('lets what waits no longer take its time', async () => {
    const work = withPatience(20, never, async (signal, waits) => {
      waits(true);
      waits(false);
      await sleep(40);
      return signal.aborted;
    });
    expect(await work).toBe(false);
  });

  it('waits for as long as it takes where it may', async () => {
    const work = withPatience(null, never, async (signal, waits) => {
      waits(true);
      await sleep(5);
      return signal;
    });
    expect(await work).toBe(never);
  });

  it('passes on that the work is not wanted any more', async () => {
    const outer = new AbortController();
    const work = withPatience(60_000, outer.signal, (signal, waits) => {
      waits(true);
      return untilAborted(signal);
    });
    outer.abort(new Error('not wanted'));
    await expect(work).rejects.toThrow('not wanted');
  });

  it('fails as the work fails', async () => {
    const work = withPatience(60_000, never, () => Promise.reject(new Error('no')));
    await expect(work).rejects.toThrow('no');
  });
});
