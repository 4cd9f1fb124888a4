import { isFailureType } from '../failure-type.js';
import type { Outcome } from './outcome.js';

/** How a question ends when one of its activities has failed for good. `type` is the failure's, absent for a time-out. */
export function outcomeOfFailure(type: string | null | undefined, message: string): Outcome {
  if (type === 'ContextOverflow') return { kind: 'context-overflow', message };
  return { kind: 'infra-error', failure: isFailureType(type) ? type : 'Unknown', message };
}
