import { z } from 'zod';
import type { ModelSettings } from './model-settings.js';

/**
 * Why a reply ended: normally, at the token limit, because the model declined or a filter removed it, by an error of the
 * provider in its middle, or for a reason that only the provider knows.
 */
export const finishReasons = ['stop', 'length', 'refused', 'filtered', 'error', 'other'] as const;
export type FinishReason = (typeof finishReasons)[number];

/** What a provider tells of who answered, beside the model's name. At least one field is there. */
export const servedBySchema = z.object({
  /** The upstream that a router chose, such as OpenRouter's `provider`. */
  provider: z.string().min(1).optional(),
  systemFingerprint: z.string().min(1).optional(),
  serviceTier: z.string().min(1).optional(),
});
export type ServedBy = Readonly<z.infer<typeof servedBySchema>>;

/** A tool the model may call, with a JSON schema of its arguments. */
export const toolSchema = z.object({
  name: z.string().min(1),
  description: z.string(),
  parameters: z.record(z.string(), z.json()),
});
export type Tool = Readonly<z.infer<typeof toolSchema>>;

/** A tool call as the model wrote it; the arguments may be invalid JSON. */
export const toolCallSchema = z.object({
  id: z.string(),
  name: z.string(),
  argumentsText: z.string(),
});
export type ToolCall = Readonly<z.infer<typeof toolCallSchema>>;

/** A part of a message's content, in the form of OpenAI's chat completions. */
const contentPartSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) }),
]);
export type ContentPart = Readonly<z.infer<typeof contentPartSchema>>;

/** One line of a trajectory. */
export const messageSchema = z.object({
  role: z.enum(['system', 'user', 'assistant']),
  content: z.union([z.string(), z.array(contentPartSchema).readonly()]),
});
export type Message = Readonly<z.infer<typeof messageSchema>>;
export type MessageContent = Message['content'];

/** The messages before the first reply. */
export function openingOf(messages: readonly Message[]): readonly Message[] {
  const replies = messages.findIndex(({ role }) => role === 'assistant');
  return replies === -1 ? messages : messages.slice(0, replies);
}

/** The text of a message for the terminal. A label such as `[image: 412 KB PNG]` replaces each picture. */
export const contentText = (content: MessageContent): string =>
  typeof content === 'string'
    ? content
    : content
        .map((part) => (part.type === 'text' ? part.text : pictureLabel(part.image_url.url)))
        .join('\n');

/** @param url - an address, or a data URL in base64 */
export function pictureLabel(url: string): string {
  const [, kind, base64] = /^data:image\/([\w.+-]+);base64,(.*)$/s.exec(url) ?? [];
  if (kind === undefined || base64 === undefined) return `[image: ${url}]`;
  return `[image: ${Math.round((base64.length * 3) / 4 / 1024)} KB ${kind.toUpperCase()}]`;
}

/** A tool call in the form of OpenAI's chat completions. */
interface ChatToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/**
 * A message of a chat completion request. A tool message with the same id follows each tool call; it holds text only.
 */
export type ChatMessage =
  | { readonly role: 'system' | 'developer' | 'user'; readonly content: MessageContent }
  | {
      readonly role: 'assistant';
      readonly content: MessageContent;
      readonly tool_calls?: readonly ChatToolCall[];
    }
  | { readonly role: 'tool'; readonly content: MessageContent; readonly tool_call_id: string };

export const partsOf = (content: MessageContent): readonly ContentPart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

export const hasImage = ({ content }: ChatMessage): boolean =>
  partsOf(content).some(({ type }) => type === 'image_url');

/** Gives the system message the role that the model accepts, or merges it into the first user message. */
export function placeSystemMessage(
  messages: readonly ChatMessage[],
  systemRole: ModelSettings['systemRole'],
): readonly ChatMessage[] {
  if (systemRole === 'system') return messages;
  if (systemRole !== 'merged') {
    return messages.map((message) =>
      message.role === 'system' ? { ...message, role: systemRole } : message,
    );
  }
  const head = messages.flatMap((message) => (message.role === 'system' ? [message.content] : []));
  const others = messages.filter(({ role }) => role !== 'system');
  const [first, ...later] = others;
  if (first?.role === 'user') {
    return [{ role: 'user', content: [...head, first.content].reduce(joined) }, ...later];
  }
  return [...head.map((content): ChatMessage => ({ role: 'user', content })), ...others];
}

function joined(a: MessageContent, b: MessageContent): MessageContent {
  if (typeof a === 'string' && typeof b === 'string') return `${a}\n\n${b}`;
  return [...partsOf(a), ...partsOf(b)];
}

/** A model request, before it takes the form of its endpoint. */
export interface ChatRequest extends ModelSettings {
  /** The address of the API, without the path of a call. */
  readonly baseUrl: string;
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  /** How many of them, from the first, the next request of the conversation has, too. Absent where none is to follow. */
  readonly kept?: number;
  /** The model must call one of these instead of writing an action. */
  readonly tools?: readonly Tool[];
  /** The JSON schema of the reply; only for models with structured replies. */
  readonly replySchema?: ReplySchema;
}

interface ReplySchema {
  readonly name: string;
  /** JSON Schema: every property required, and no others. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** The content is null beside tool calls without text, because several servers refuse an empty string there. */
export type SentMessage = Omit<ChatMessage, 'content'> & {
  readonly content: ChatMessage['content'] | null;
  readonly tool_calls?: readonly ChatToolCall[];
};

/** The body of a chat completion request, exactly as it is sent. */
export interface ChatBody {
  readonly model: string;
  readonly messages: readonly SentMessage[];
  readonly [parameter: string]: unknown;
}

/** Converts a request to the body that its model and endpoint accept. Settings that are null are left out. */
export function chatBody(request: ChatRequest): ChatBody {
  const { model, messages, tools, replySchema, temperature, topP, seed, reasoningEffort } = request;
  return {
    ...request.extraBody,
    model,
    messages: placeSystemMessage(messages, request.systemRole).map(withoutEmptyText),
    ...(tools && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
    ...(replySchema && {
      response_format: { type: 'json_schema', json_schema: { ...replySchema, strict: true } },
    }),
    ...(temperature !== null && { temperature }),
    ...(topP !== null && { top_p: topP }),
    [request.tokenLimitField ?? usualTokenLimitField(request.baseUrl)]: request.maxTokens,
    ...(seed !== null && { seed }),
    ...(reasoningEffort !== null && { reasoning_effort: reasoningEffort }),
    ...(request.stream && { stream: true, stream_options: { include_usage: true } }),
  };
}

const withoutEmptyText = (message: ChatMessage): SentMessage =>
  message.role === 'assistant' && message.tool_calls && message.content === ''
    ? { ...message, content: null }
    : message;

/** OpenAI's reasoning models refuse `max_tokens`; many other servers accept nothing else. */
const usualTokenLimitField = (baseUrl: string): 'max_tokens' | 'max_completion_tokens' =>
  /(^|\.)openai\.(azure\.)?com$/.test(new URL(baseUrl).hostname)
    ? 'max_completion_tokens'
    : 'max_tokens';

/**
 * The `system_fingerprint` of simulated chat completions; the ids of other replies end in it. Every display of a result
 * mentions it.
 */
export const simulatedFingerprint = 'simulated';

/** Ends after which a reply is not read, whatever it says. */
export const withheldReasons = ['refused', 'filtered', 'error'] as const;
export type Withheld = (typeof withheldReasons)[number];

/** Undefined for a reply that its model has ended itself, or that reached its token limit. */
export const withheldOf = (reason: FinishReason): Withheld | undefined =>
  withheldReasons.find((withheld) => withheld === reason);

/** Why a reply that was paid for has nothing to be read. */
export type ReplyLack = Withheld | 'empty';

/** Null for a reply with a text, and for one that ended at the token limit. */
export function lackOf({
  raw,
  cutOff,
  withheld,
}: {
  readonly raw: string;
  readonly cutOff: boolean;
  readonly withheld?: Withheld | undefined;
}): ReplyLack | null {
  if (withheld !== undefined) return withheld;
  return raw.trim() === '' && !cutOff ? 'empty' : null;
}

export const lackText: Readonly<Record<ReplyLack, string>> = {
  refused: 'the model refused to reply',
  filtered: 'a filter of the provider removed the reply',
  error: 'the provider ended the reply with an error',
  empty: 'the reply is empty',
};
