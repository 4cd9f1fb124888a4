import { answerText } from '../actions/action.js';
import type { ReplyRecord } from '../questions/turn-record.js';

/** What the model is told where nothing had to be carried out; null where an action has to be. */
export function observationWithoutTools(reading: ReplyRecord['reading']): string | null {
  if (reading.kind === 'error') return `[Error]: ${reading.error}`;
  return reading.action.kind === 'GenerateAnswer' ? answerText(reading.action) : null;
}
