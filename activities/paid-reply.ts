import { log, sleep } from '@temporalio/activity';
import { isPassing } from './failures.js';

/** The wait before a second try; each later one is twice as long, up to the longest. */
const firstWaitMs = 100;
const longestWaitMs = 15_000;

/**
 * Stores a reply that was paid for. While that fails for a reason that may pass, a full disk above all, it is tried again
 * for `patienceMs`, and kept for the next try of the call, on whichever worker, should this one give up or die.
 */
export async function storePaidReply<T>(
  record: T,
  save: (record: T) => Promise<T>,
  patienceMs: number,
  keep: (record: T) => void,
): Promise<T> {
  try {
    return await save(record);
  } catch (error) {
    if (!isPassing(error)) throw error;
    log.warn('a reply that is paid for cannot be stored yet', { reason: error.message });
    keep(record);
    return keepTrying(() => save(record), patienceMs);
  }
}

async function keepTrying<T>(save: () => Promise<T>, patienceMs: number): Promise<T> {
  const end = performance.now() + patienceMs;
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
    await sleep(waitMs);
    try {
      return await save();
    } catch (error) {
      if (!isPassing(error) || performance.now() >= end) throw error;
    }
  }
}
