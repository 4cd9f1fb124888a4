import type { TableResult } from '../../domain/agent/observations/tool-outcome.js';
import type { SearchHit } from '../../domain/agent/observations/vector-search.js';
import type { Picture } from '../../domain/agent/turn-record.js';
import type { RunId, StoreName } from '../../domain/ids.js';
import type { DatabaseRef } from '../../domain/stores/database.js';

interface GraphRequest {
  readonly store: StoreName;
  /** Natural language; may contain text of the model. */
  readonly query: string;
  readonly timeoutMs: number;
  /** The run that pays: the cost counts towards its budget. */
  readonly run?: RunId;
  /** Whether the run began with a budget. @defaultValue false */
  readonly capped?: boolean;
}

export interface GraphAnswer {
  readonly answer: string;
  /** US dollars; null if the program does not say. */
  readonly costUsd: number | null;
}

/**
 * A graph index of a store's papers, which turnwise does not build. It tries once. Throws PortFailure, of type
 * `ModelDeferred` if the run's budget leaves too little for a query now.
 */
export interface GraphPort {
  readonly query: (request: GraphRequest, signal: AbortSignal) => Promise<GraphAnswer>;
}

/** A part of a page. */
interface PictureArea {
  readonly store: StoreName;
  /** Of the generation. @defaultValue the one in use */
  readonly fingerprint?: string;
  /** From 1. */
  readonly page: number;
  /** `[x, y, width, height]` in points from the page's top left corner; empty for the whole page. */
  readonly box: readonly number[];
  readonly timeoutMs: number;
}

export interface PictureRequest extends PictureArea {
  /** Written by the model: not to be trusted. */
  readonly paperId: string;
}

/** Failures that the model can correct are outcomes. A missing store is thrown (PortFailure). */
export type PictureOutcome =
  | { readonly kind: 'picture'; readonly picture: Picture }
  | { readonly kind: 'no-paper' }
  | { readonly kind: 'no-page' }
  | { readonly kind: 'picture-error'; readonly message: string }
  | { readonly kind: 'picture-timeout' };

export interface PicturesPort {
  /** A page or a part of it at 200 dots per inch, or fewer if the picture would be too large for a request. */
  readonly ofPage: (request: PictureRequest, signal: AbortSignal) => Promise<PictureOutcome>;
  /** The same of a PDF by its SHA-256, whether or not the store in use has it. */
  readonly ofPdf: (
    request: PictureArea & { readonly sha256: string },
    signal: AbortSignal,
  ) => Promise<PictureOutcome>;
}

export interface SearchRequest {
  readonly store: StoreName;
  /** Of the generation. @defaultValue the one in use */
  readonly fingerprint?: string;
  /** The store's name for it, e.g. `text_bm25_en`. */
  readonly collection: string;
  readonly query: string;
  /** In Milvus's filter language; empty for none. */
  readonly filter: string;
  /** Of the cells found. Each is found once, with the score of its best part. */
  readonly limit: number;
  readonly timeoutMs: number;
}

/**
 * Failures that the model can correct are outcomes. A store that is missing, cannot be reached or does not answer in time is
 * thrown (PortFailure).
 */
export type SearchOutcome =
  | { readonly kind: 'hits'; readonly hits: readonly SearchHit[] }
  | { readonly kind: 'search-error'; readonly message: string };

/** `valid` if Milvus can evaluate the filter, whether or not any entry passes it. */
export type FilterTrial =
  { readonly kind: 'valid' } | Extract<SearchOutcome, { readonly kind: 'search-error' }>;

export interface SearchPort {
  readonly tryFilter: (
    request: Omit<SearchRequest, 'query' | 'limit'>,
    signal: AbortSignal,
  ) => Promise<FilterTrial>;
  readonly search: (request: SearchRequest, signal: AbortSignal) => Promise<SearchOutcome>;
}

export interface SqlRequest {
  readonly database: DatabaseRef;
  /** Written by the model: not to be trusted. */
  readonly sql: string;
  /** The most rows that are returned. */
  readonly maxRows: number;
  readonly timeoutMs: number;
}

/** Failures that the model can correct are outcomes. A missing or unreachable store is thrown (PortFailure). */
export type SqlOutcome =
  | { readonly kind: 'rows'; readonly result: TableResult }
  /** `failure` is DuckDB's class of the error, e.g. `binder`, or `refused`, `memory`, `crash`. */
  | { readonly kind: 'sql-error'; readonly failure: string; readonly message: string }
  | { readonly kind: 'sql-timeout' };

/** Statements over one database. */
type SqlBatch = Omit<SqlRequest, 'sql'> & { readonly statements: readonly string[] };

interface TimedOutcome {
  readonly outcome: SqlOutcome;
  /** Of the statement itself, without the wait before it. */
  readonly ms: number;
}

export interface TablesPort {
  /** Each statement for itself, in their order: one that fails does not stop the others. */
  readonly queries: (request: SqlBatch, signal: AbortSignal) => Promise<readonly TimedOutcome[]>;
  readonly query: (request: SqlRequest, signal: AbortSignal) => Promise<SqlOutcome>;
  /** The texts of `columnName` by primary key, without keys that have no row. Identifiers must not come from the model. */
  readonly texts: (
    request: {
      readonly store: StoreName;
      /** Of the generation. @defaultValue the one in use */
      readonly fingerprint?: string;
      readonly tableName: string;
      readonly columnName: string;
      readonly primaryKeys: readonly string[];
      /** @defaultValue the declared primary key, else the first column */
      readonly keyColumns?: readonly string[];
    },
    signal: AbortSignal,
  ) => Promise<ReadonlyMap<string, string>>;
}
