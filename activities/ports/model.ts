import type { RunId } from '../../domain/ids.js';
import type { ChatRequest } from '../../domain/models/chat-body.js';
import type { FinishReason } from '../../domain/models/finish-reason.js';
import type { RateLimit } from '../../domain/models/rate-limit.js';
import type { ToolCall } from '../../domain/models/tool.js';

export interface ModelRequest extends ChatRequest {
  readonly timeoutMs: number;
  /** For whom the call is made: those that share an account are served in turn. @defaultValue none in particular */
  readonly run?: RunId;
  /**
   * `fixed`: the caller limits how many calls are in flight. `auto`: few at first, then as many as the provider takes.
   * @defaultValue fixed
   */
  readonly concurrency?: 'auto' | 'fixed';
  /** Whether the reply may come from the cache, and go there. @defaultValue false */
  readonly cache?: boolean;
}

export interface ModelReply {
  /**
   * Without the model's reasoning. Empty only beside `toolCalls`, or where the token limit cut the reply off in its
   * reasoning (`finishReason: 'length'`): an endpoint that returns nothing else has failed.
   */
  readonly content: string;
  /** What the model thought aloud, in marks or in a field of its own. */
  readonly reasoning?: string;
  /** Never empty; absent where the model called no tool. */
  readonly toolCalls?: readonly ToolCall[];
  readonly finishReason: FinishReason;
  /** The model that answered, as the provider names it. */
  readonly model: string;
  /** `null` where the provider does not report usage. */
  readonly tokens: {
    readonly prompt: number;
    /** Hidden reasoning included. */
    readonly completion: number;
    /** Part of `prompt`. */
    readonly cached: number;
    /** Part of `completion`. */
    readonly reasoning?: number;
  } | null;
  /** What the provider said of its limits. */
  readonly rateLimit?: RateLimit;
  /** The reply was in the cache: nobody was asked and nothing paid. */
  readonly cacheHit?: true;
}

/** Where a call is: it waits for the provider's limits to leave room for it, or has been sent. */
export type CallStage = 'waits for its turn' | 'calls the model';

/**
 * One chat completion, tried once; where a provider's limits are kept, as often as it is refused for them. Throws
 * PortFailure; the caller's retry policy decides what comes next.
 */
export interface ModelPort {
  /** @param tell - told whenever the stage changes; a call of which nothing is told has been sent */
  readonly complete: (
    request: ModelRequest,
    signal: AbortSignal,
    tell?: (stage: CallStage) => void,
  ) => Promise<ModelReply>;
}
