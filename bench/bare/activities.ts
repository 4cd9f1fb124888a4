import { setTimeout as sleep } from 'node:timers/promises';

/** Nothing but the time a call of a model takes: what is measured is the way there and back. */
export const emptyActivity = (waitMs: number): Promise<void> =>
  waitMs === 0 ? Promise.resolve() : sleep(waitMs);
