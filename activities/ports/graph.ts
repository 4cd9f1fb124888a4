import type { StoreName } from '../../domain/ids.js';

export interface GraphRequest {
  readonly store: StoreName;
  /** In words; may hold what a model wrote. */
  readonly query: string;
  readonly timeoutMs: number;
}

export interface GraphAnswer {
  readonly answer: string;
  /** US dollars; null where the program does not say. */
  readonly costUsd: number | null;
}

/** A graph index of a store's papers that somebody else has built. Tried once. Throws PortFailure. */
export interface GraphPort {
  readonly query: (request: GraphRequest, signal: AbortSignal) => Promise<GraphAnswer>;
}
