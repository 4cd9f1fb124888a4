import type { Method } from '../../methods/method.js';

/** One model call of a question, as far as the length of its prompt goes. */
export interface QuestionCall {
  readonly turn: number;
  /** Earlier turns of the question that its prompt shows beside what every call opens with. */
  readonly turnsSeen: number;
}

/** Prompt tokens of what a question's calls open with: its first call, and each later one. */
export interface Opening {
  readonly first: number;
  readonly later: number;
}

/** The model calls of a question that takes so many turns. */
export function questionCalls(
  method: Method,
  turns: number,
  windowSize: number,
): readonly QuestionCall[] {
  const calls = Array.from({ length: turns }, (_, index) => index + 1).map((turn) => ({
    turn,
    turnsSeen: turnsSeen(method, turn, windowSize),
  }));
  if (method.kind !== 'graph') return calls;
  // The first turn asks the graph, and so does the second where nobody judges its answer.
  return method.judge === null ? [] : calls.slice(1);
}

function turnsSeen({ kind }: Method, turn: number, windowSize: number): number {
  switch (kind) {
    case 'iterative':
      return Math.min(turn - 1, windowSize);
    case 'graph':
      return Math.min(turn - 1, Math.max(1, windowSize));
    case 'two-stage':
      return turn - 1;
    case 'single-shot':
      // What is read from the store before the only call.
      return 1;
  }
}
