import { ApplicationFailure } from '@temporalio/common';
import type { ActivityExecuteInput } from '@temporalio/worker';
import { expect, it, describe } from 'vitest';
import { PortFailure } from '../../activities/ports/port-failure.js';
import { homeIdSchema, type HomeId } from '../../domain/home.js';
import { guardHome, reachHome } from '../../worker/home-guard.js';
import { runActivity } from '../support/run-activity.js';
import { testHome } from '../support/test-home.js';

/** A guarded worker whose clock and home the test moves. */
function guarded() {
  const world: { at: number; found: HomeId | null; reads: number } = {
    at: 0,
    found: testHome,
    reads: 0,
  };
  const guard = guardHome(
    {
      id: testHome,
      location: '/somewhere',
      read: () => {
        world.reads += 1;
        return Promise.resolve(world.found);
      },
    },
    () => world.at,
  );
  const run = (workflowId: string, work: () => Promise<unknown> = () => Promise.resolve('done')) =>
    runActivity(
      (input: ActivityExecuteInput) =>
        guard.execute?.(input, work) ?? Promise.reject(new Error('no guard')),
      { args: [], headers: {} },
      { info: { workflowExecution: { workflowId, runId: 'r' } } },
    );
  return { world, run };
}

const missing = (message: string) => ({
  type: 'HomeMissing',
  nonRetryable: false,
  message: expect.stringContaining(message) as string,
});

it('does the work of its home, and reads the id again only now and then', async () => {
  const { world, run } = guarded();
  expect(await run(`${testHome}/run/x`)).toBe('done');
  expect(await run(`${testHome}/run/x/q/y/e/1`)).toBe('done');
  expect(world.reads).toBe(1);
  world.at = 6_000;
  await run(`${testHome}/run/x`);
  expect(world.reads).toBe(2);
});

it('does nothing for another home, and lets another worker try', async () => {
  const { run } = guarded();
  let done = false;
  const work = () => Promise.resolve((done = true));
  await expect(run('others/run/x', work)).rejects.toMatchObject(
    missing('workflow others/run/x is of home others'),
  );
  expect(done).toBe(false);
});

it.each([
  ['is not mounted any more', null, 'has no home.json'],
  ['was made anew under it', homeIdSchema.parse('fresh'), 'is home fresh'],
])('believes no failure while its home %s', async (_what, found, message) => {
  const { world, run } = guarded();
  await run(`${testHome}/run/x`);
  world.found = found;
  const fails = () =>
    Promise.reject(ApplicationFailure.create({ message: 'there is no run x', nonRetryable: true }));
  await expect(run(`${testHome}/run/x`, fails)).rejects.toMatchObject(missing(message));
  // Nor does it begin anything else.
  await expect(run(`${testHome}/run/x`)).rejects.toMatchObject(missing(message));
  world.found = testHome;
  await expect(run(`${testHome}/run/x`, fails)).rejects.toMatchObject({ nonRetryable: true });
});

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
