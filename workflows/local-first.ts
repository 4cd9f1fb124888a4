import { proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import { failedActivity } from './activity-failure.js';

/** A local activity that takes longer is left to the queue: it keeps a workflow task of the worker open. */
export const localActivities = proxyLocalActivities<Activities>({
  scheduleToCloseTimeout: '5 seconds',
  retry: { maximumAttempts: 1 },
});

/**
 * Runs a quick activity as a local activity, which saves the way through the task queue, and through the queue with
 * all its retries where the local one fails or takes too long. Both may run: only for activities that may be repeated.
 */
export async function localFirst<T>(local: () => Promise<T>, queued: () => Promise<T>): Promise<T> {
  try {
    return await local();
  } catch (error) {
    if (failedActivity(error) === null) throw error;
    return queued();
  }
}
