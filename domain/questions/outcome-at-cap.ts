import type { Outcome } from './outcome.js';
import type { ModelTurn } from './model-turn.js';

/** What a question comes to whose turns are used up without an answer. */
export function outcomeAtCap(turns: readonly ModelTurn[]): Outcome {
  const last = turns.at(-1);
  return last?.kind === 'unparseable' && turns.every((turn) => turn.kind === 'unparseable')
    ? { kind: 'unparseable', lastError: last.error }
    : { kind: 'turn-limit', maxTurns: turns.length };
}
