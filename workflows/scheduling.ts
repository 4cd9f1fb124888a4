import type { RetryPolicy } from '@temporalio/common';
import {
  proxyActivities,
  proxyLocalActivities,
  type ActivityInterfaceFor,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import { heartbeatTimeout } from '../domain/worker-timeouts.js';
import { failedActivity } from './activity-failure.js';

export type ScheduledActivities = ActivityInterfaceFor<Activities>;

// How long an activity is tried again that fails at once. What a person may have to mend, such as a full disk, is waited for.
const intervals = { initialInterval: '1 second', maximumInterval: '30 seconds' } as const;
export const forTwoMinutes = { ...intervals, maximumAttempts: 10 } as const;
export const forMinutes = { ...intervals, maximumAttempts: 20 } as const;
export const forAnHour = { ...intervals, maximumAttempts: 100 } as const;
export const forAWeek = { ...intervals, maximumAttempts: 20_000 } as const;

/** Activities of the queue. Missing heartbeats tell of a lost worker. */
export const queued = (
  startToCloseTimeout: string | number,
  retry: RetryPolicy,
  more?: Pick<ActivityOptions, 'cancellationType'>,
): ScheduledActivities =>
  proxyActivities<Activities>({ startToCloseTimeout, heartbeatTimeout, retry, ...more });

/** A local activity that takes longer is left to the queue: it keeps a workflow task of the worker open. */
const local = proxyLocalActivities<Activities>({
  scheduleToCloseTimeout: '5 seconds',
  retry: { maximumAttempts: 1 },
});

/**
 * Schedules a quick activity as a local activity, which saves the way through the task queue, and in `queue` with all its
 * retries where the local one fails or takes too long. Both may run: only for activities that may be repeated.
 */
export async function localFirst<T>(
  queue: ScheduledActivities,
  call: (activities: ScheduledActivities | typeof local) => Promise<T>,
): Promise<T> {
  try {
    return await call(local);
  } catch (error) {
    if (failedActivity(error) === null) throw error;
    return call(queue);
  }
}
