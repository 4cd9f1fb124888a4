import { expect, it } from 'vitest';
import { untilIdle } from '../../../worker/operation/idle.js';

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
