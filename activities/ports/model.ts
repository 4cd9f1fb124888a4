import type { RunId } from '../../domain/ids.js';
import type { FinishReason, ToolCall } from '../../domain/models/chat-message.js';
import type { ChatRequest } from '../../domain/models/chat-request.js';
import type { Price } from '../../domain/models/usage.js';
import type { RateLimit } from '../../domain/rate-limits/rate-limit-headers.js';

/** Turns texts into dense vectors to be compared by cosine. */
export interface EmbedderPort {
  /** `KIND/MODEL`, as a store's manifest names it: vectors of equal names are comparable. */
  readonly name: string;
  /** Where its texts are sent to; null where they are sent nowhere. */
  readonly endpoint: string | null;
  /** The collection its vectors go to. */
  readonly collection: string;
  /**
   * One vector a text, in order, all of one length and none of them zero.
   * Throws PortFailure; tried once, the caller's retry policy decides what comes next.
   */
  readonly embed: (
    texts: readonly string[],
    signal: AbortSignal,
  ) => Promise<readonly (readonly number[])[]>;
}

export interface ModelRequest extends ChatRequest {
  readonly timeoutMs: number;
  /** Null where it is not known. */
  readonly price: Price | null;
  /**
   * The run that pays: what the call may cost is reserved from its budget, and runs that share an account are served in
   * turn. Absent where the caller has reserved it.
   */
  readonly run?: RunId;
  /** Whether the run began with a budget. @defaultValue false */
  readonly capped?: boolean;
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

/** What a call does: it waits for the run's budget, waits for the provider's rate limit, or has been sent. */
export type CallStage = 'waits for the budget' | 'waits for its turn' | 'calls the model';

/**
 * One chat completion. It is attempted once, and sent again only where the rate limit refused it. Throws PortFailure
 * (`ModelDeferred` for a call that may not be made now); the caller's retry policy decides what comes next.
 */
export interface ModelPort {
  /** @param tell - called whenever the stage changes. A call that reports no stage has been sent */
  readonly complete: (
    request: ModelRequest,
    signal: AbortSignal,
    tell?: (stage: CallStage) => void,
  ) => Promise<ModelReply>;
}
