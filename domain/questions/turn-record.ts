import { z } from 'zod';
import { amountSchema } from '../budget/amount.js';
import { finishReasons } from '../models/finish-reason.js';
import { toolCallSchema } from '../models/tool.js';
import { actionSchema } from '../actions/action.js';
import { toolFactsSchema } from '../observations/tool-outcome.js';

/** What the model said in one turn and what was read from it. Stored before the activity completes. */
export const replyRecordSchema = z.object({
  turn: z.int().min(1),
  /** As received, without the model's reasoning. */
  raw: z.string(),
  /** What the model thought aloud; never sent back. */
  reasoning: z.string().optional(),
  /** Of native tool calling, all that the reply held. */
  toolCalls: z.array(toolCallSchema).readonly().optional(),
  /** Why the reply ended. Absent where it ended by itself. */
  finishReason: z.enum(finishReasons).optional(),
  reading: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('action'), thought: z.string(), action: actionSchema }),
    z.object({ kind: z.literal('error'), error: z.string() }),
  ]),
  /** The latest turn the model could see in which it took this very action already. */
  repeats: z.int().min(1).optional(),
  /** As the provider names it; null in a turn that asked no model. */
  model: z.string().nullable(),
  /** Null where the provider reports none. */
  tokens: z
    .object({
      prompt: z.int().nonnegative(),
      completion: z.int().nonnegative(),
      cached: z.int().nonnegative(),
      reasoning: z.int().nonnegative().default(0),
    })
    .nullable(),
  /** US dollars; null where the price or the tokens are not known. */
  costUsd: z.number().nonnegative().nullable().default(null),
  /** What a budget was charged where the provider reports no usage: the most it may be. Absent where it reports it. */
  charged: amountSchema.optional(),
  /** The reply was taken from the cache: no model was asked, and nothing paid. */
  cacheHit: z.boolean().default(false),
  /** Attempts before this one that were refused or lost. */
  retries: z.int().nonnegative(),
  startedAt: z.string(),
  endedAt: z.string(),
});
export type ReplyRecord = Readonly<z.infer<typeof replyRecordSchema>>;

/** A picture as it goes into a message. */
export const pictureSchema = z.object({ mimeType: z.string(), base64: z.string() });
export type Picture = Readonly<z.infer<typeof pictureSchema>>;

export const pictureUrl = ({ mimeType, base64 }: Picture): string =>
  `data:${mimeType};base64,${base64}`;

/** What came of a turn's action, as the model is told. */
export const observationRecordSchema = z.object({
  turn: z.int().min(1),
  content: z.string(),
  image: pictureSchema.optional(),
  /** Absent where the action used no tool. */
  facts: toolFactsSchema.optional(),
  startedAt: z.string(),
  endedAt: z.string(),
});
export type ObservationRecord = Readonly<z.infer<typeof observationRecordSchema>>;
