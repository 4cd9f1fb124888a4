import type { Message } from '../../domain/questions/message.js';

export interface ModelRequest {
  /** Where the chat completions live, without `/chat/completions`. */
  readonly baseUrl: string;
  readonly model: string;
  readonly messages: readonly Message[];
  readonly temperature: number;
  readonly topP: number;
  readonly maxTokens: number;
  readonly timeoutMs: number;
}

export interface ModelReply {
  /** Never empty: an endpoint that returns no content has failed. */
  readonly content: string;
  readonly finishReason: 'stop' | 'length' | 'other';
  /** The model that answered, as the provider names it. */
  readonly model: string;
  /** `null` where the provider does not report usage. */
  readonly tokens: {
    readonly prompt: number;
    readonly completion: number;
    readonly cached: number;
  } | null;
}

/** One chat completion, tried once. Throws PortFailure; the caller's retry policy decides what comes next. */
export interface ModelPort {
  readonly complete: (request: ModelRequest, signal: AbortSignal) => Promise<ModelReply>;
}
