import type { Message } from './message.js';

/** The first finished turn that is sent along when `turn` (from 1) is asked for; `turn` itself where none is. */
export const firstTurnInWindow = (turn: number, windowSize: number): number =>
  Math.max(1, turn - windowSize);

/** The two opening messages and the last `windowSize` turns of two messages each; 0 sends no history. */
export function windowMessages(
  messages: readonly Message[],
  windowSize: number,
): readonly Message[] {
  const opening = messages.slice(0, 2);
  const first = Math.max(opening.length, messages.length - 2 * windowSize);
  return [...opening, ...messages.slice(first)];
}
