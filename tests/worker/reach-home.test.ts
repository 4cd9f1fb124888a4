import { describe, expect, it } from 'vitest';
import { PortFailure } from '../../activities/ports/port-failure.js';
import { homeIdSchema, type HomeId } from '../../domain/home.js';
import { reachHome } from '../../worker/reach-home.js';

const id = homeIdSchema.parse('0123456789');
const away = new PortFailure('RunFilesUnavailable', 'the bucket cannot be reached');

describe('a worker that starts', () => {
  /** Opens a home whose storage fails so until it answers. */
  async function reach(...failures: readonly Error[]) {
    const left = [...failures];
    const said: string[] = [];
    const pauses: number[] = [];
    const open = (): Promise<HomeId> => {
      const failure = left.shift();
      return failure ? Promise.reject(failure) : Promise.resolve(id);
    };
    const found = await reachHome(open, {
      say: (sentence) => said.push(sentence),
      pause: (ms) => Promise.resolve(pauses.push(ms)),
    });
    return { found, said, pauses };
  }

  it('waits for a storage that is away, and says so once', async () => {
    expect(await reach(...Array.from({ length: 7 }, () => away))).toEqual({
      found: id,
      said: ['the bucket cannot be reached; this worker waits for it'],
      pauses: [500, 1000, 2000, 4000, 8000, 15_000, 15_000],
    });
  });

  it('ends where waiting cannot help', async () => {
    const broken = new Error('a mistake of the program');
    await expect(reach(broken)).rejects.toBe(broken);
  });
});
