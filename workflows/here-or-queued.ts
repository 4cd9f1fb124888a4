import { failedActivity } from './activity-failure.js';

/**
 * Does what is quick in the worker that has the workflow, which saves its way through the queue; through the queue,
 * with all its retries, where that takes long or fails. Both may be done: only for activities that store what they
 * find, where the first record stands.
 * @param tryHere - false in workflows that began before there was this way
 */
export async function hereOrQueued<T>(
  tryHere: boolean,
  here: () => Promise<T>,
  queued: () => Promise<T>,
): Promise<T> {
  if (!tryHere) return queued();
  try {
    return await here();
  } catch (error) {
    if (failedActivity(error) === null) throw error;
    return queued();
  }
}
