import { Context } from '@temporalio/activity';
import type { ActivityInterceptors } from '@temporalio/worker';
import { expect, it } from 'vitest';
import { watchActivities, untilIdle } from '../../../worker/operation/watched-activities.js';

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

interface Moment {
  readonly busy?: boolean;
  /** Tasks that began and ended before this look. */
  readonly begun?: number;
  readonly backlog?: number | Error;
}

/** The seconds after which a worker ends that may be idle for ten. @param at - what it finds at a second */
async function endsAfter(at: (second: number) => Moment): Promise<number> {
  let now = 0;
  let begun = 0;
  const moment = (): Moment => at(Math.floor(now / 1_000));
  await untilIdle(
    {
      isBusy: () => moment().busy ?? false,
      begun: () => begun,
      backlog: () => {
        const { backlog = 0 } = moment();
        return typeof backlog === 'number' ? Promise.resolve(backlog) : Promise.reject(backlog);
      },
      now: () => now,
      pause: (ms) => {
        const before = Math.floor(now / 1_000);
        now += ms;
        if (Math.floor(now / 1_000) > before) begun += moment().begun ?? 0;
        return Promise.resolve();
      },
    },
    10_000,
    new AbortController().signal,
  );
  return Math.floor(now / 1_000);
}

it('ends after its idle time, counted from the last thing it did', async () => {
  expect(await endsAfter(() => ({}))).toBe(10);
  expect(await endsAfter((second) => ({ busy: second < 60 }))).toBe(69);
  // Something began and ended between two looks.
  expect(await endsAfter((second) => ({ begun: second === 8 ? 1 : 0 }))).toBe(18);
});

it.each([[3], [new Error('no server')]])(
  'stays while tasks wait, or the server does not say that none do (%s)',
  async (backlog) => {
    expect(await endsAfter((second) => (second < 35 ? { backlog } : {}))).toBe(40);
  },
);

it('is over when the worker stops', async () => {
  const never = { isBusy: () => true, begun: () => 0, backlog: () => Promise.resolve(0) };
  const rest = { now: () => 0, pause: () => Promise.resolve() };
  await untilIdle({ ...never, ...rest }, 10_000, AbortSignal.abort());
});
