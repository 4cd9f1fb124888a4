import type { FinishedTurn } from './conversation.js';
import type { ReplyRecord } from './turn-record.js';

/** The latest of `turns` that took this very action; undefined where none did. An answer repeats nothing. */
export function repeatedTurn(
  reading: ReplyRecord['reading'],
  turns: readonly FinishedTurn[],
): number | undefined {
  if (reading.kind === 'error' || reading.action.kind === 'GenerateAnswer') return undefined;
  const taken = JSON.stringify(reading.action);
  return turns.findLast(
    ({ reply }) =>
      reply.reading.kind === 'action' && JSON.stringify(reply.reading.action) === taken,
  )?.reply.turn;
}
