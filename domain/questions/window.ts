import type { Method } from '../methods/method.js';

/**
 * The first finished turn that `turn` (from 1) is asked with; `turn` itself where none is. A stage of another method
 * sees what the one before it brought, and no window; a graph method may fall back on its first answer.
 */
export const firstTurnInWindow = (
  turn: number,
  windowSize: number,
  kind: Method['kind'] = 'iterative',
): number => (kind === 'graph' ? 1 : Math.max(1, turn - (kind === 'iterative' ? windowSize : 1)));
