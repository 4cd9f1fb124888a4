import type { CallSoFar } from './call-so-far.js';

// A model call is made in the worker that has the question's workflow where that is quick: its way through the server's
// queue costs more than all else of a turn. The workflow's step stays open meanwhile, which is why what takes long does
// not belong there: whoever steers the question is heard when the step ends, or after eight seconds.

/** Longest that an action may take there, or the storing of a question's end: a worker has few steps open at once. */
export const actsHereMs = 5_000;

/** A call no longer than this, its wait included, is quick; what the call before took tells what this one will take. */
export const briskMs = 3_000;

/** Longest that a call waits for the provider's limits, or for the budget, before it is left to the queue. */
export const waitsHereMs = 250;

/** A worker that comes to a call later than this has more of them than it can do. */
export const lateHereMs = 1_000;

/** Calls under way at once in one worker. */
export const askedHereAtMost = 128;

/**
 * Questions that go from a reply to their next call at once. Without a bound all whose replies came together share the
 * processors and send their next calls together: they march in step, and the processors rest while all of them wait.
 */
export const stepsAtOnce = 8;

/** Longest that a question on its way holds up others: a tool that takes longer does not compute here. */
export const stepMs = 100;

/** Not to be done here, or not once more: the queue is there for it. */
export interface LeftToQueue extends CallSoFar {
  readonly kind: 'left-to-queue';
  /** For people who read the history. */
  readonly because: string;
  /** Not before so many milliseconds. */
  readonly afterMs?: number;
}
