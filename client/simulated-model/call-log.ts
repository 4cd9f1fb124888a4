import { appendFileSync } from 'node:fs';
import { UserError } from '../user-error.js';

/** How a request ended. `abandoned`: the client went away first. */
export type CallEnd = 'completed' | 'refused' | 'failed' | 'abandoned';

export type CallEvent =
  | {
      readonly event: 'received';
      /** From 1, in order of arrival. */
      readonly number: number;
      /** Equal for equal requests. */
      readonly key: string;
      readonly question: string | null;
    }
  | {
      readonly event: 'replied';
      readonly number: number;
      readonly key: string;
      readonly question: string | null;
      readonly end: CallEnd;
      /** What exactly: `completion`, `rate-limit`, `unscripted`, or the name of a fault. */
      readonly detail: string;
    };

/**
 * Appends a line an event, on disk before it returns: counts survive a kill of either side.
 * @throws UserError at once where the file cannot be written.
 */
export function callLog(path: string | undefined): (event: CallEvent) => void {
  if (path === undefined) return () => undefined;
  try {
    appendFileSync(path, '');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UserError(`The log ${path} cannot be written: ${reason}`);
  }
  return (event) =>
    appendFileSync(path, `${JSON.stringify({ ...event, at: new Date().toISOString() })}\n`);
}
