import {
  placeSystemMessage,
  type ChatMessage,
  type ChatToolCall,
  type Tool,
} from './chat-message.js';
import type { ModelSettings } from './model-settings.js';

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

export interface ReplySchema {
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
