import { failedActivity } from './activity-failure.js';

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
