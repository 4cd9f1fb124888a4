import { setTimeout as sleep } from 'node:timers/promises';

/** Waits as long as a model call would take. What is measured is the cost of the activity itself. */
export const emptyActivity = (waitMs: number): Promise<void> =>
  waitMs === 0 ? Promise.resolve() : sleep(waitMs);
