import { z } from 'zod';
import { preview } from '../preview.js';
import type { ObservationRecord } from './turn-record.js';

/** What a workflow learns of an action's observation. */
export const actionTurnSchema = z.object({ preview: z.string() });
export type ActionTurn = Readonly<z.infer<typeof actionTurnSchema>>;

export const summariseObservation = ({ content }: ObservationRecord): ActionTurn => ({
  preview: preview(content, 120),
});
