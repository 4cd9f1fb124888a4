import { z } from 'zod';
import { actionNames, mainArgument } from '../actions/action.js';
import { preview } from '../preview.js';
import type { ReplyRecord } from './turn-record.js';

/** What a workflow learns of a model's reply: enough to go on and to be read in the history, no more. */
export const modelTurnSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('action'), action: z.enum(actionNames), preview: z.string() }),
  z.object({ kind: z.literal('unparseable'), error: z.string() }),
]);
export type ModelTurn = Readonly<z.infer<typeof modelTurnSchema>>;

const previewLength = 120;

export function summariseReply(reply: ReplyRecord): ModelTurn {
  const { reading } = reply;
  if (reading.kind === 'error') {
    return { kind: 'unparseable', error: preview(reading.error, previewLength) };
  }
  const { action } = reading;
  return {
    kind: 'action',
    action: action.kind,
    preview: preview(mainArgument(action), previewLength),
  };
}
