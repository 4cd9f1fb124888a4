import { Context } from '@temporalio/activity';
import type { ActivityInterceptors } from '@temporalio/worker';
import { expect, it } from 'vitest';
import { watchActivities } from '../../../worker/operation/watched-activities.js';

/** One activity, as the SDK hands it to the interceptors. */
function begin({ inbound, outbound }: ActivityInterceptors, input: unknown) {
  let end: () => void = () => undefined;
  const work = new Promise<unknown>((resolve) => {
    end = () => resolve(undefined);
  });
  const done = inbound?.execute?.({ args: [input], headers: {} }, () => work);
  const fields = (): unknown =>
    outbound?.getLogAttributes?.({ attempt: 1 }, (attributes) => attributes);
  return { done, end, fields };
}

const context: Context = Object.create(Context.prototype) as Context;

it('knows what each activity is about, and how long the oldest turn has been at work', async () => {
  let now = 0;
  const watched = watchActivities(() => now);
  const start = (input: unknown) => begin(watched.interceptor(context), input);
  const reading = start({ store: 'papers' });
  now = 1_000;
  const first = start({ run: 'r', uuid: 'q', epoch: 1, turn: 3, asking: 1 });
  now = 5_000;
  const second = start({ run: 'r', uuid: 'p', epoch: 1, turn: 1 });
  expect(watched.oldestTurnMs()).toBe(4_000);
  expect(first.fields()).toEqual({ attempt: 1, run: 'r', question: 'q', epoch: 1, turn: 3 });
  expect(reading.fields()).toEqual({ attempt: 1, store: 'papers' });
  expect(start('no object').fields()).toEqual({ attempt: 1 });
  first.end();
  await first.done;
  expect(watched.oldestTurnMs()).toBe(0);
  second.end();
  await second.done;
  now = 9_000;
  expect(watched.oldestTurnMs()).toBe(0);
  expect(watched.begun()).toBe(4);
});
