import { observationWithoutTools } from '../observations/terminal-observation.js';
import type { FinishedTurn } from './conversation.js';
import type { ObservationRecord, ReplyRecord } from './turn-record.js';

/** A turn as it lies in the files of its run. */
export interface StoredTurn {
  readonly reply: ReplyRecord;
  /** Null where nothing had to be carried out, and where it has not come to its end. */
  readonly observation: ObservationRecord | null;
}

/** The turn with what the model was told; null where it was told nothing yet. */
export function finishedTurn({ reply, observation }: StoredTurn): FinishedTurn | null {
  const told = observation?.content ?? observationWithoutTools(reply.reading);
  if (told === null) return null;
  return { reply, observation: told, image: observation?.image, facts: observation?.facts };
}
