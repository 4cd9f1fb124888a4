import { Context, log, sleep } from '@temporalio/activity';
import { mayPass } from '../domain/failure-type.js';
import { whileHeartbeating } from './heartbeat.js';
import { PortFailure } from './ports/port-failure.js';

/** The wait before a second try; each later one is twice as long, up to the longest. */
const firstWaitMs = 100;
const longestWaitMs = 15_000;

/**
 * Stores a reply that was paid for. While that fails for a reason that may pass, a full disk above all, it is tried again
 * for `patienceMs`, and the reply travels in the heartbeats: the next attempt takes it over (`paidReply`), on whichever
 * worker, should this one give up or die.
 */
export async function storePaidReply<T>(
  record: T,
  save: (record: T) => Promise<T>,
  patienceMs: number,
): Promise<T> {
  try {
    return await save(record);
  } catch (error) {
    if (!isPassing(error)) throw error;
    log.warn('a reply that is paid for cannot be stored yet', { reason: error.message });
    return whileHeartbeating(() => keepTrying(() => save(record), patienceMs), record);
  }
}

/**
 * What an earlier attempt paid for and could not store; undefined where there is no such reply.
 * @param parse - gives undefined for what is none
 */
export const paidReply = <T>(parse: (details: unknown) => T | undefined): T | undefined =>
  parse(Context.current().info.heartbeatDetails);

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

/** Whether what failed may succeed later. */
export const isPassing = (error: unknown): error is PortFailure =>
  error instanceof PortFailure && mayPass(error.type);
