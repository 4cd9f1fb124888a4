/** The first finished turn that is sent along when `turn` (from 1) is asked for; `turn` itself where none is. */
export const firstTurnInWindow = (turn: number, windowSize: number): number =>
  Math.max(1, turn - windowSize);
