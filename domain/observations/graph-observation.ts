import type { Observed } from './tool-outcome.js';
import { truncateAnswer } from './truncate-answer.js';

/** What QueryGraph tells the model: the program's answer as it is, as long as any answer may be. */
export const graphObservation = (answer: string): Observed => ({
  content: truncateAnswer(answer),
  outcome: answer.trim() === '' ? { kind: 'empty' } : { kind: 'found', shown: 1, cut: false },
});
