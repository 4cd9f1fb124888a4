import { PortFailure } from '../activities/ports/port-failure.js';
import { isRetryable } from '../domain/failure-type.js';
import type { HomeId } from '../domain/home.js';

const firstPauseMs = 500;
const longestPauseMs = 15_000;

interface Waiting {
  /** Tells people what the worker waits for. */
  readonly say: (sentence: string) => void;
  readonly pause: (ms: number) => Promise<unknown>;
}

/**
 * The id of a worker's home, as soon as its storage answers. A worker that starts while the storage is away waits for it, as
 * one does that works already.
 * @param open - throws PortFailure while the storage cannot be read
 */
export async function reachHome(
  open: () => Promise<HomeId>,
  { say, pause }: Waiting,
): Promise<HomeId> {
  let said = '';
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof PortFailure) || !isRetryable(error.type)) throw error;
      if (error.message !== said) say(`${error.message}; this worker waits for it`);
      said = error.message;
      await pause(pauseMs);
    }
  }
}
