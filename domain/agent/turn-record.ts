import { z } from 'zod';
import { amountSchema } from '../budget/amount.js';
import { preview } from '../formats/text.js';
import { finishReasons, toolCallSchema } from '../models/chat-message.js';
import { noUsage, type Usage } from '../models/usage.js';
import { actionNames, actionSchema, answerText, mainArgument } from './actions/action.js';
import { toolFactsSchema, type ToolFacts } from './observations/tool-outcome.js';

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

/** What a workflow learns of an action's observation. */
export const actionTurnSchema = z.object({ preview: z.string() });
export type ActionTurn = Readonly<z.infer<typeof actionTurnSchema>>;

export const summariseObservation = ({ content }: ObservationRecord): ActionTurn => ({
  preview: preview(content, 120),
});

/** A turn as it lies in the files of its run. */
export interface StoredTurn {
  readonly reply: ReplyRecord;
  /** Null where nothing had to be carried out, and where it has not come to its end. */
  readonly observation: ObservationRecord | null;
}

/** A turn that has ended: the model's reply and the observation that followed it. */
export interface FinishedTurn {
  readonly reply: ReplyRecord;
  readonly observation: string;
  readonly image?: Picture | undefined;
  readonly facts?: ToolFacts | undefined;
}

/** Null while the turn has no observation. */
export function finishedTurn({ reply, observation }: StoredTurn): FinishedTurn | null {
  const content = observation?.content ?? observationWithoutTools(reply.reading);
  if (content === null) return null;
  return { reply, observation: content, image: observation?.image, facts: observation?.facts };
}

/** The observation of a reply that needs no tool: a parse error or an answer. Null where a tool has to run. */
export function observationWithoutTools(reading: ReplyRecord['reading']): string | null {
  if (reading.kind === 'error') return `[Error]: ${reading.error}`;
  return reading.action.kind === 'GenerateAnswer' ? answerText(reading.action) : null;
}

/** What of a stored reply says what it took. */
export const paidCallSchema = replyRecordSchema.pick({
  model: true,
  tokens: true,
  costUsd: true,
  charged: true,
  cacheHit: true,
  retries: true,
});
export type PaidCall = Readonly<z.infer<typeof paidCallSchema>>;

export function usageOf({ model, tokens, retries, cacheHit }: PaidCall): Usage {
  if (model === null) return { ...noUsage, retries };
  if (cacheHit) return { ...noUsage, retries, cacheHits: 1 };
  return {
    promptTokens: tokens?.prompt ?? 0,
    completionTokens: tokens?.completion ?? 0,
    cachedTokens: tokens?.cached ?? 0,
    reasoningTokens: tokens?.reasoning ?? 0,
    calls: 1,
    retries,
    cacheHits: 0,
  };
}

export const costOfReply = ({ costUsd, cacheHit }: PaidCall): number | null =>
  cacheHit ? 0 : costUsd;

/** Null as soon as one of them is unknown: half a sum looks like a whole one. */
export const sumOfCosts = (costs: readonly (number | null)[]): number | null =>
  costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
