import type { ModelApi, ModelEndpoint } from '../../domain/model-api.js';
import type { Picture } from '../../domain/agent/turn-record.js';
import type { FailureType } from '../../domain/failure-type.js';
import type { DatasetName, RunId } from '../../domain/ids.js';
import type {
  FinishReason,
  ServedBy,
  ToolCall,
  ChatRequest,
} from '../../domain/models/chat-message.js';
import type { Exchange } from '../../domain/models/call-attempts.js';
import type { CallTokens, Price } from '../../domain/models/usage.js';
import type {
  Batch,
  BatchAddress,
  BatchedAnswer,
  BatchedCall,
  SubmittedBatch,
  WaitingCall,
} from '../../domain/runs/batches.js';
import type { RateLimit } from '../../domain/rate-limits/stated-limits.js';
import type { PortFailure } from './port-failure.js';

/** Turns texts into dense vectors to be compared by cosine. */
export interface EmbedderPort {
  /** `KIND/MODEL`, as a store's manifest names it: vectors of equal names are comparable. */
  readonly name: string;
  /** The address that texts are sent to; null if they stay in this process. */
  readonly endpoint: string | null;
  /** The collection that holds its vectors. */
  readonly collection: string;
  /** Throws PortFailure where this machine cannot make vectors now. Absent where nothing is needed but the endpoint. */
  readonly ready?: (signal: AbortSignal) => Promise<void>;
  /**
   * One vector for each text, in order, all of one length and none of them zero. Throws PortFailure. It tries once: retries
   * are the caller's.
   */
  readonly embed: (
    texts: readonly string[],
    signal: AbortSignal,
  ) => Promise<readonly (readonly number[])[]>;
}

/** An embedder by its name in a store's manifest. Throws PortFailure where there is none of that name. */
export type EmbeddersPort = (name: string) => EmbedderPort;

/** Turns pictures and texts into vectors that can be compared with each other. */
export interface PictureEmbedderPort extends EmbedderPort {
  /** One vector for each picture, in order, comparable with those of `embed`. Throws PortFailure. It tries once. */
  readonly embedPictures: (
    pictures: readonly Picture[],
    signal: AbortSignal,
  ) => Promise<readonly (readonly number[])[]>;
}

export interface ModelRequest extends ChatRequest {
  readonly timeoutMs: number;
  /** Null if unknown. */
  readonly price: Price | null;
  /**
   * The run that pays: the highest possible cost is reserved from its budget, and runs that share an account take turns.
   * Absent if the caller has reserved the cost.
   */
  readonly run?: RunId;
  /** The dataset that pays, in the same way; never beside `run`. */
  readonly dataset?: DatasetName;
  /** Whether the run or the building of the dataset began with a budget. @defaultValue false */
  readonly capped?: boolean;
  /**
   * `fixed`: the caller limits how many calls are in flight. `auto`: the rate limiter does, from few to as many as the
   * provider accepts.
   * @defaultValue fixed
   */
  readonly concurrency?: 'auto' | 'fixed';
  /** Whether the call is to find out if the model can be asked: it is sent also while calls are known to fail. @defaultValue false */
  readonly isProbe?: boolean;
  /** Whether the reply may be read from the cache, and written to it. @defaultValue false */
  readonly cache?: boolean;
  /** Whether the first call of a prefix that its provider caches goes ahead of the others. @defaultValue true */
  readonly warmFirst?: boolean;
  /** Names the call where it is to be sent in a batch of its run. Absent for a call that is sent at once. */
  readonly batched?: BatchedCall;
}

export interface ModelReply {
  /**
   * Without the model's reasoning. Empty only if there are `toolCalls`, or if the reply reached its token limit during the
   * reasoning (`finishReason: 'length'`). Any other empty reply is a failure.
   */
  readonly content: string;
  /** The model's reasoning, as far as the endpoint returns it. */
  readonly reasoning?: string;
  /** Never empty; absent if the model called no tool. */
  readonly toolCalls?: readonly ToolCall[];
  readonly finishReason: FinishReason;
  /** The model that answered, as the provider names it. */
  readonly model: string;
  /** `null` if the provider does not report usage. */
  readonly tokens: CallTokens | null;
  /** What the provider tells of who answered, beside the model's name. */
  readonly servedBy?: ServedBy;
  /** The rate limits in the reply's headers. */
  readonly rateLimit?: RateLimit;
  /** Absent if no request was sent for it. */
  readonly exchange?: Exchange;
  /** The reply came from the cache or from a replayed run, at no cost. */
  readonly cacheHit?: true;
  /** The reply came in a batch of its run. */
  readonly batched?: true;
}

/** A call waits for the run's budget, waits for the provider's rate limit, or has been sent. */
export type CallStage = 'waits for the budget' | 'waits for its turn' | 'calls the model';

/** Called whenever the stage changes, and with the failure of each request that was sent. */
export type ReportStage = (stage: CallStage, failed?: PortFailure) => void;

/**
 * One chat completion. It is sent once, and again only after a 429. Throws PortFailure, of type `ModelDeferred` if the call
 * may not be made now. Retries are the caller's.
 */
export interface ModelPort {
  /** @param report - a call that reports no stage has been sent */
  readonly complete: (
    request: ModelRequest,
    signal: AbortSignal,
    report?: ReportStage,
  ) => Promise<ModelReply>;
}

/** How an API has answered a call in a batch. */
export interface BatchResult extends BatchedAnswer {
  /** As billed; null if the provider does not say. */
  readonly tokens: CallTokens | null;
  /** What the answer fails of. Null for a reply. */
  readonly failure: FailureType | null;
}

type BatchState =
  | { readonly kind: 'open' }
  /** By the places of the calls. Those without a result were not made, as in a batch that expired. */
  | { readonly kind: 'ended'; readonly results: ReadonlyMap<number, BatchResult> }
  /** No call was made. `mostTokens`: what the account may have at once, where that is the reason. */
  | { readonly kind: 'refused'; readonly result: BatchResult; readonly mostTokens: number | null };

/** Its id; null if it was not submitted. `isUndecided`: this is not known before others have ended. */
interface FoundBatch {
  readonly id: string | null;
  readonly isUndecided: boolean;
}

/** The batches of providers. Each method makes its requests once and throws PortFailure. */
export interface BatchesPort {
  /** Throws PortFailure where the API has no batches, or refuses the key. */
  readonly check: (address: Omit<BatchAddress, 'path'>, signal: AbortSignal) => Promise<void>;
  /**
   * Submits a batch, and resolves to its id.
   * @param onUpload - where the provider has a file of the requests, before there is a batch
   */
  readonly submit: (
    batch: Batch,
    bodies: readonly WaitingCall['body'][],
    onUpload: (file: string) => Promise<void>,
    signal: AbortSignal,
  ) => Promise<string>;
  /** Looks for a batch that may have been submitted. */
  readonly find: (batch: Batch, signal: AbortSignal) => Promise<FoundBatch>;
  readonly poll: (batch: SubmittedBatch, signal: AbortSignal) => Promise<BatchState>;
  /** Asks the provider to end a batch. What it has answered by then remains. */
  readonly cancel: (batch: SubmittedBatch, signal: AbortSignal) => Promise<void>;
}

/** The endpoints that this worker is configured for. */
export interface EndpointsPort {
  /** What asking each of them for its models comes to. Never rejects. @param apis - those that may be asked */
  readonly ask: (input: {
    readonly apis: readonly ModelApi[];
  }) => Promise<readonly ModelEndpoint[]>;
}
