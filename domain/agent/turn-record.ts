import { z } from 'zod';
import { amountSchema } from '../budget/amount.js';
import { preview } from '../formats/text.js';
import {
  finishReasons,
  messageSchema,
  servedBySchema,
  toolCallSchema,
  withheldReasons,
} from '../models/chat-message.js';
import { exchangeSchema, failedAttemptsSchema } from '../models/call-attempts.js';
import { callTokensSchema, noUsage, writtenTokens, type Usage } from '../models/usage.js';
import { actionKinds, actionSchema, answerText, mainArgument } from './actions/action.js';
import { tracedQuerySchema, type TracedQuery } from './database-qa/answer-trace.js';
import { toolFactsSchema, type ToolFacts } from './observations/tool-outcome.js';

/** Replies that hold nothing to go on with. They are billed, and so they are turns. */
const oddReplies = ['refused', 'filtered', 'empty', 'error', 'cut-off'] as const;
export type OddReply = (typeof oddReplies)[number];

/** One of several tool calls of a reply. */
const calledActionSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('action'), id: z.string(), action: actionSchema }),
  z.object({ kind: z.literal('error'), id: z.string(), error: z.string() }),
]);

/** What a reply of a database method, or to an agent of the user's, contributes before the answer. */
export const stepSchema = z.discriminatedUnion('kind', [
  /** The plan of mode `sequential`, or what a round of mode `iterative` needs; may be empty. */
  z.object({ kind: z.literal('plan'), text: z.string() }),
  /** The agent declares that it has enough. */
  z.object({ kind: z.literal('enough') }),
  z.object({
    kind: z.literal('queries'),
    /** From 1. */
    round: z.int().min(1),
    /** As the model wrote them; may be empty. */
    queries: z.array(z.string()).readonly(),
    /** For repairs: the index of each repaired query among all queries of the question. */
    repairOf: z.array(z.int().nonnegative()).readonly().optional(),
  }),
  /** The model's reply to an agent of the user's, which reads it. */
  z.object({ kind: z.literal('reply') }),
]);
export type Step = Readonly<z.infer<typeof stepSchema>>;

/** The reply of one turn and its parsed action. Stored before the activity completes. */
export const replyRecordSchema = z.object({
  turn: z.int().min(1),
  /** The text of the reply, without reasoning. */
  raw: z.string(),
  /** The model's reasoning; never sent back to it. */
  reasoning: z.string().optional(),
  /** All tool calls of the reply. */
  toolCalls: z.array(toolCallSchema).readonly().optional(),
  /** Why the reply ended; absent when it ended normally. */
  finishReason: z.enum(finishReasons).optional(),
  reading: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('action'),
      thought: z.string(),
      action: actionSchema,
      /** Of parallel tool calls all up to `action`, or to the last one. */
      calls: z.array(calledActionSchema).readonly().optional(),
    }),
    z.object({ kind: z.literal('step'), step: stepSchema }),
    z.object({
      kind: z.literal('error'),
      error: z.string(),
      /** Absent for a reply that has a text or a tool call, and cannot be read. */
      odd: z.enum(oddReplies).optional(),
    }),
  ]),
  /** What an agent of the user's sent to the model: how many messages of its call before come first, and the others. */
  asked: z
    .object({ kept: z.int().nonnegative(), messages: z.array(messageSchema).readonly() })
    .optional(),
  /** SHA-256 of the line in which that agent asked for this turn: it must write the same again. */
  asked256: z.string().optional(),
  /** The latest turn with the same action that the model could see. */
  repeats: z.int().min(1).optional(),
  /** The model's name in the provider's reply; null for a turn that asked no model. */
  model: z.string().nullable(),
  /** Null when the provider reports no usage. */
  tokens: callTokensSchema.nullable(),
  /** What the provider tells of who answered. Absent where it tells nothing. */
  servedBy: servedBySchema.optional(),
  /** US dollars; null when the price or the tokens are unknown. */
  costUsd: z.number().nonnegative().nullable().default(null),
  /** The amount charged to the budget when the provider reports no usage: the highest possible cost. Absent otherwise. */
  charged: amountSchema.optional(),
  /** The reply came from the cache, so the call cost nothing. */
  cacheHit: z.boolean().default(false),
  /** The reply came in a batch of its run. Absent for a call that was sent at once, or in a batch of a job. */
  batched: z.literal(true).optional(),
  /** How many of the turns before were sent, where the request with all of the window was too long. */
  turnsSent: z.int().nonnegative().optional(),
  /** Earlier attempts that failed or were lost. */
  retries: z.int().nonnegative(),
  /** Those of them that were sent and whose reply never came: they may be paid. Absent for none. */
  unanswered: z.int().positive().optional(),
  /** Those of them that were lost with their worker. Absent for none. */
  lost: z.int().positive().optional(),
  /** The others, and requests that were refused for a limit and sent again. Absent for none. */
  failures: failedAttemptsSchema.optional(),
  /** The request that was answered. Absent where none was sent, and in records of earlier versions. */
  exchange: exchangeSchema.optional(),
  /** For the rate limiter and the budget, before the request was sent. Absent for none. */
  waitedMs: z.number().nonnegative().optional(),
  startedAt: z.string(),
  endedAt: z.string(),
});
export type ReplyRecord = Readonly<z.infer<typeof replyRecordSchema>>;

/** A picture that a message contains. */
export const pictureSchema = z.object({ mimeType: z.string(), base64: z.string() });
export type Picture = Readonly<z.infer<typeof pictureSchema>>;

export const pictureUrl = ({ mimeType, base64 }: Picture): string =>
  `data:${mimeType};base64,${base64}`;

/** The observation of a turn's action. */
export const observationRecordSchema = z.object({
  turn: z.int().min(1),
  /** Of the turn's action. */
  content: z.string(),
  /** Of each of several tool calls, in their order. */
  ofCalls: z.array(z.string()).readonly().optional(),
  /** The queries of a database method and their results. */
  queries: z.array(tracedQuerySchema).readonly().optional(),
  image: pictureSchema.optional(),
  /** Absent when the action used no tool. */
  facts: toolFactsSchema.optional(),
  startedAt: z.string(),
  endedAt: z.string(),
});
export type ObservationRecord = Readonly<z.infer<typeof observationRecordSchema>>;

/** The result of a model turn in a workflow's history. It is short: the run's files hold the reply. */
export const modelTurnSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('action'),
    action: z.enum(actionKinds),
    preview: z.string(),
    /** How many tools were called at once; absent for one. */
    calls: z.int().min(2).optional(),
  }),
  /** A step of a database method; `runs` if it has queries to run. */
  z.object({ kind: z.literal('step'), runs: z.boolean(), label: z.string(), preview: z.string() }),
  z.object({
    kind: z.literal('unparseable'),
    error: z.string(),
    odd: z.enum(oddReplies).optional(),
    /** What the model wrote, shortened; absent for nothing. */
    said: z.string().optional(),
  }),
]);
export type ModelTurn = Readonly<z.infer<typeof modelTurnSchema>>;

const previewLength = 120;
/** The words of a refusal. */
const saidLength = 300;

export function summariseReply(reply: ReplyRecord): ModelTurn {
  const { reading } = reply;
  if (reading.kind === 'error') {
    const { error, odd } = reading;
    return {
      kind: 'unparseable',
      error: preview(error, previewLength),
      ...(odd !== undefined && { odd }),
      ...(odd !== undefined && reply.raw !== '' && { said: preview(reply.raw, saidLength) }),
    };
  }
  if (reading.kind === 'step') return summariseStep(reading.step, reply.raw);
  const { action, calls } = reading;
  return {
    kind: 'action',
    action: action.kind,
    preview: preview(mainArgument(action), previewLength),
    ...(calls && { calls: calls.length }),
  };
}

function summariseStep(step: Step, raw: string): ModelTurn {
  switch (step.kind) {
    case 'plan':
      return {
        kind: 'step',
        runs: false,
        label: 'plan',
        preview: preview(step.text, previewLength),
      };
    case 'enough':
      return { kind: 'step', runs: false, label: 'plan', preview: 'it has enough' };
    case 'reply':
      return { kind: 'step', runs: false, label: 'model', preview: preview(raw, previewLength) };
    case 'queries': {
      const { queries } = step;
      const label = queries.length === 1 ? 'SQL' : `${queries.length} queries`;
      const text = preview(queries.join(' '), previewLength);
      return { kind: 'step', runs: queries.length > 0, label, preview: text };
    }
  }
}

/** The result of an action in a workflow's history. */
export const actionTurnSchema = z.object({ preview: z.string() });
export type ActionTurn = Readonly<z.infer<typeof actionTurnSchema>>;

export const summariseObservation = ({ content }: ObservationRecord): ActionTurn => ({
  preview: preview(content, previewLength),
});

/** A turn in the files of its run. */
export interface StoredTurn {
  readonly reply: ReplyRecord;
  /** Null when the action needs no tool or has not finished. */
  readonly observation: ObservationRecord | null;
}

/** A turn that has ended: the model's reply and the observation that followed it. */
export interface FinishedTurn {
  readonly reply: ReplyRecord;
  readonly observation: string;
  /** Of each of several tool calls, in their order. */
  readonly ofCalls?: readonly string[] | undefined;
  readonly queries?: readonly TracedQuery[] | undefined;
  readonly image?: Picture | undefined;
  readonly facts?: ToolFacts | undefined;
}

/** Null while the turn has no observation. */
export function finishedTurn({ reply, observation }: StoredTurn): FinishedTurn | null {
  const content = observation?.content ?? observationWithoutTools(reply.reading);
  if (content === null) return null;
  return {
    reply,
    observation: content,
    ofCalls: observation?.ofCalls,
    queries: observation?.queries,
    image: observation?.image,
    facts: observation?.facts,
  };
}

/** The observation of a reply that needs no tool: a parse error, an answer, or a step without queries. Null where a tool has to run. */
export function observationWithoutTools(reading: ReplyRecord['reading']): string | null {
  if (reading.kind === 'error') return `[Error]: ${reading.error}`;
  if (reading.kind === 'step') {
    return reading.step.kind === 'queries' && reading.step.queries.length > 0 ? null : '';
  }
  const { action, calls } = reading;
  return action.kind === 'GenerateAnswer' && calls === undefined ? answerText(action) : null;
}

/** Whether the turn has an observation of its own; an answer and an unreadable reply have none. */
export const needsTool = ({ reading }: ReplyRecord): boolean =>
  observationWithoutTools(reading) === null;

/** The fields of a reply that state its usage and cost, and who answered. */
export const paidCallSchema = replyRecordSchema.pick({
  model: true,
  servedBy: true,
  tokens: true,
  costUsd: true,
  charged: true,
  cacheHit: true,
  batched: true,
  retries: true,
  unanswered: true,
  lost: true,
  failures: true,
  exchange: true,
});
export type PaidCall = Readonly<z.infer<typeof paidCallSchema>>;

/** The record of a reply in another run, which takes it over at no cost. */
export const unpaid = <Reply extends PaidCall>(reply: Reply): Reply => ({
  ...reply,
  costUsd: 0,
  cacheHit: reply.model !== null,
  retries: 0,
  unanswered: undefined,
  lost: undefined,
  failures: undefined,
  exchange: undefined,
});

/** The reply of a model that helps to build or enrich something, stored before anything is made of it. */
export const keptReplySchema = paidCallSchema.extend({
  /** The version of the prompts. */
  prompts: z.string(),
  /** The model that was asked; `model` is what the provider calls it. */
  asked: z.string(),
  raw: z.string(),
  /** Whether the reply ended at the token limit. */
  cutOff: z.boolean(),
  /** Why the reply is not read. Absent where it is. */
  withheld: z.enum(withheldReasons).optional(),
  startedAt: z.string(),
  endedAt: z.string(),
});

export function usageOf({ model, tokens, retries, unanswered = 0, cacheHit }: PaidCall): Usage {
  const lostTokens = unanswered * ((tokens?.prompt ?? 0) + (tokens?.completion ?? 0));
  if (model === null) return { ...noUsage, retries };
  if (cacheHit) return { ...noUsage, retries, lostTokens, cacheHits: 1 };
  return {
    promptTokens: tokens?.prompt ?? 0,
    completionTokens: tokens?.completion ?? 0,
    cachedTokens: tokens?.cached ?? 0,
    cacheWrittenTokens: tokens === null ? 0 : writtenTokens(tokens),
    reasoningTokens: tokens?.reasoning ?? 0,
    calls: 1,
    retries,
    lostTokens,
    cacheHits: 0,
  };
}

export const costOfReply = ({ costUsd, cacheHit }: PaidCall): number | null =>
  cacheHit ? 0 : costUsd;

/** Null when one of the costs is unknown, because a partial sum would look complete. */
export const sumOfCosts = (costs: readonly (number | null)[]): number | null =>
  costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
