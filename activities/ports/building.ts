import type { TableResult } from '../../domain/agent/observations/tool-outcome.js';
import type { Amount } from '../../domain/budget/amount.js';
import type { Build, CallRecord, ItemText } from '../../domain/building/build.js';
import type { Item } from '../../domain/building/item.js';
import type { OrphanQuery, ScratchTable } from '../../domain/building/scratch-tables.js';
import type { DatasetName, ItemId } from '../../domain/ids.js';
import type { Engine } from '../../domain/stores/database.js';

/** Datasets that are built, with their items. Throws PortFailure. */
export interface BuildingFilesPort {
  readonly build: (dataset: DatasetName) => Promise<Build>;
  /** Null if it has not begun. */
  readonly item: (dataset: DatasetName, item: ItemId) => Promise<Item | null>;
  /** Keeps what is stored if that is as new or newer. */
  readonly saveItem: (dataset: DatasetName, item: Item) => Promise<void>;
  /** Null if it is missing or damaged. */
  readonly text: (dataset: DatasetName, item: ItemId, version: number) => Promise<ItemText | null>;
  readonly saveText: (dataset: DatasetName, item: ItemId, text: ItemText) => Promise<void>;
  /** Null if the call has not been made. */
  readonly call: (dataset: DatasetName, item: ItemId, call: number) => Promise<CallRecord | null>;
  /** Keeps the first record of a call, and resolves to what is stored. */
  readonly saveCall: (
    dataset: DatasetName,
    item: ItemId,
    record: CallRecord,
  ) => Promise<CallRecord>;
  /** What all stored replies amount to. */
  readonly spent: (dataset: DatasetName) => Promise<Amount>;
}

/** A database in memory that is filled, asked and forgotten. */
export interface ScratchRequest {
  /**
   * In which it is made. In SQLite `inserts` is run as it stands, and what fails is left out: it reaches nothing either.
   * @defaultValue duckdb
   */
  readonly engine?: Engine | undefined;
  readonly creates: readonly ScratchTable[];
  readonly orphans: readonly OrphanQuery[];
  /** Written by a model or a person: not to be trusted. */
  readonly inserts: readonly string[];
  /** Not to be trusted either. */
  readonly queries: readonly string[];
  /** Of a result. */
  readonly maxRows: number;
  readonly timeoutMs: number;
}

export type ScratchResult =
  | { readonly kind: 'rows'; readonly result: TableResult }
  | { readonly kind: 'error'; readonly message: string };

export type ScratchOutcome =
  | {
      readonly kind: 'filled';
      /** All rows, in the order of `creates`; none in SQLite. */
      readonly tables: readonly { readonly name: string; readonly result: TableResult }[];
      /** In the order of `queries`. */
      readonly results: readonly ScratchResult[];
    }
  /** A statement does not run, or the rows violate a key. */
  | { readonly kind: 'failed'; readonly message: string };

/** Tries rows out. What a statement does reaches nothing but the database of its request. Throws PortFailure. */
export interface ScratchPort {
  readonly fill: (request: ScratchRequest, signal: AbortSignal) => Promise<ScratchOutcome>;
}
