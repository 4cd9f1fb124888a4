import { z } from 'zod';
import { actionNames, mainArgument } from '../actions/action.js';
import { preview } from '../preview.js';
import { briskMs } from './asked-here.js';
import type { ReplyRecord } from './turn-record.js';

const paced = z.object({
  /** The call took no longer than `briskMs`. Absent where it did, and in histories of older versions. */
  brisk: z.literal(true).exactOptional(),
});

/** What a workflow learns of a model's reply: enough to go on and to be read in the history, no more. */
export const modelTurnSchema = z.discriminatedUnion('kind', [
  paced.extend({ kind: z.literal('action'), action: z.enum(actionNames), preview: z.string() }),
  paced.extend({ kind: z.literal('unparseable'), error: z.string() }),
]);
export type ModelTurn = Readonly<z.infer<typeof modelTurnSchema>>;

const previewLength = 120;

/** Whether a call took no longer than `briskMs`, its wait included. */
export const isBrisk = ({ startedAt, endedAt }: ReplyRecord): boolean =>
  Date.parse(endedAt) - Date.parse(startedAt) <= briskMs;

export function summariseReply(reply: ReplyRecord): ModelTurn {
  const { reading } = reply;
  const brisk = isBrisk(reply) && { brisk: true as const };
  if (reading.kind === 'error') {
    return { kind: 'unparseable', error: preview(reading.error, previewLength), ...brisk };
  }
  const { action } = reading;
  return {
    kind: 'action',
    action: action.kind,
    preview: preview(mainArgument(action), previewLength),
    ...brisk,
  };
}
