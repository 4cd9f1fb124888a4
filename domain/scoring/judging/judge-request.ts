import { v5 as uuid5 } from 'uuid';
import { z } from 'zod';
import { replyRecordSchema } from '../../agent/turn-record.js';
import type { ChatMessage } from '../../models/chat-message.js';
import type { ChatRequest } from '../../models/chat-request.js';
import type { ModelConfig } from '../../models/model-settings.js';

/** What a judge said in one call. */
export interface JudgeReplyText {
  readonly text: string;
  /** By the token limit. */
  readonly cutOff: boolean;
}

/** A judge, as scoring knows it: what it can do, and all that it has said about one answer. */
export interface Judge {
  /** Whether its provider holds it to a schema. */
  readonly structured: boolean;
  /** Calls about one matter before the judge counts as unreadable. The reference has one. */
  readonly tries: number;
  /** What it said about a part of the evaluator (`JudgeQuestion.part`), call by call. */
  readonly said: (part: string) => readonly JudgeReplyText[];
}

/** One call of a judge. */
export interface JudgeQuestion {
  /** What of the evaluator it is about: `0`, and `0.2` for the third part of a logical function. */
  readonly part: string;
  /** Which call about that part, from 1. */
  readonly number: number;
  readonly messages: readonly ChatMessage[];
  /** The form whose schema the provider is to hold the model to; null where the reply is text. */
  readonly structured: ReplyForm | null;
  readonly sampling?: { readonly temperature: number; readonly topP: number };
}

export type JudgeRequest = ChatRequest & Pick<ModelConfig, 'timeoutMs' | 'cache'>;

/** What a judge's model is sent: its settings, and the schema of its reply where it can be held to one. */
export function judgeRequest(
  { name, ...settings }: ModelConfig,
  { messages, structured, sampling }: JudgeQuestion,
): JudgeRequest {
  return {
    ...settings,
    // A model that refuses a setting refuses it here too.
    ...(sampling && settings.temperature !== null && { temperature: sampling.temperature }),
    ...(sampling && settings.topP !== null && { topP: sampling.topP }),
    model: name,
    messages,
    ...(structured && { replySchema: { name: structured, schema: schemaOf(structured) } }),
  };
}

/** Of the keys of requests; any constant would do. */
const namespace = '7b1f4c52-9f0e-4a53-8c6e-2d1a90c5e3f8';

/** Equal for requests that ask the same of the same model. The address does not matter: a model may move. */
export function requestKey(request: ChatRequest): string {
  const { model, messages, replySchema, temperature, topP, maxTokens, seed } = request;
  const { reasoningEffort, extraBody } = request;
  const asked = [model, messages, replySchema ?? null, temperature, topP, maxTokens, seed];
  const text = JSON.stringify([...asked, reasoningEffort, extraBody]);
  return uuid5(text, namespace).replaceAll('-', '');
}

/** Which dialect of JSON Schema it is has no place in a request. */
const schemaOf = (form: ReplyForm): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(z.toJSONSchema(structuredReplies[form])).filter(([key]) => key !== '$schema'),
  );

/** What a judge replied in one call. Stored before the activity completes, readable or not. */
export const judgeReplySchema = replyRecordSchema
  .pick({
    raw: true,
    reasoning: true,
    model: true,
    tokens: true,
    costUsd: true,
    charged: true,
    cacheHit: true,
    retries: true,
    startedAt: true,
    endedAt: true,
  })
  .extend({
    /** `requestKey` of what it answers. */
    request: z.string().regex(/^[0-9a-f]{32}$/),
    /** What of the evaluator it is about: `0`, and `0.2` for the third part of a logical function. */
    part: z.string().regex(/^\d+(\.\d+)*$/),
    /** Which call about that part, from 1. */
    number: z.int().min(1),
    /** By the token limit. */
    cutOff: z.boolean(),
  });
export type JudgeReply = Readonly<z.infer<typeof judgeReplySchema>>;

/** Enters every manifest and every judged score. Raised whenever a text the judge reads, or the way its reply is read, changes. */
export const judgePromptVersion = '1';

/**
 * What a judge is to write:
 * - `verdict`: whether the answer meets its rule
 * - `selection`: whether it is right, partly right or wrong
 * - `grades`: its quality in four respects and overall, from 1 to 10
 */
export type ReplyForm = 'verdict' | 'selection' | 'grades';

const grade = z.strictObject({ explanation: z.string(), score: z.number() });

/** Replies of providers that hold a model to a schema. Reasons come first: what is written last rests on them. */
export const structuredReplies = {
  verdict: z.strictObject({ reasoning: z.string(), verdict: z.boolean() }),
  selection: z.strictObject({ reasoning: z.string(), selection: z.enum(['1', '0.5', '0']) }),
  grades: z.strictObject({
    relevance: grade,
    accuracy: grade,
    completeness: grade,
    conciseness: grade,
    overall: z.number(),
  }),
} as const satisfies Record<ReplyForm, z.ZodType>;

/** How a text that is no JSON by force has to end. */
export const textInstructions: Readonly<Record<ReplyForm, string>> = {
  verdict: `Reason in as many sentences as you need. Then end your reply with a code fence of this form that holds nothing but the word True or the word False:

\`\`\`txt
True
\`\`\``,
  selection: `Reply with nothing but a JSON object of one key, selection, whose value is one of the texts "1", "0.5" and "0":

{"selection": "1"}`,
  grades: `Reply in this form, and write nothing after its last line:

Evaluation:
1. Relevance: <score> - <explanation>
2. Accuracy: <score> - <explanation>
3. Completeness: <score> - <explanation>
4. Conciseness: <score> - <explanation>
Overall Quality Score: <the average of the four scores>`,
};

/** The same for providers that hold the model to the schema. */
export const structuredInstructions: Readonly<Record<ReplyForm, string>> = {
  verdict:
    'Reply with a JSON object: first your reasoning, then verdict, which is true or false and follows from it.',
  selection:
    'Reply with a JSON object: first your reasoning, then selection, which is "1", "0.5" or "0" and follows from it.',
  grades:
    'Reply with a JSON object: for relevance, accuracy, completeness and conciseness an explanation and then a score, and in overall the average of the four scores.',
};
