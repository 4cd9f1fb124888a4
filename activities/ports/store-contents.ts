import type { StoreName } from '../../domain/ids.js';
import type { Bm25 } from '../../domain/stores/bm25.js';
import type { PaperRows } from '../../domain/stores/paper-tables.js';
import type { CellRef } from '../../domain/stores/store-check.js';
import type { DatabaseId, SearchedTable, StoredDatabase } from '../../domain/stores/database.js';
import type { EncodableCell } from '../../domain/stores/database-schema.js';
import type { FileContent } from '../../domain/file-content.js';
import type { Generation, StoreManifest } from '../../domain/stores/store-manifest.js';

/** The tables of a store, opened for reading. Throws PortFailure('StoreMissing') if they turn out to be damaged. */
export interface StoredTables {
  /** The rows of papers by paper id, each table in the order of insertion. A paper without rows is absent. */
  readonly rows: (papers: readonly string[]) => Promise<ReadonlyMap<string, PaperRows>>;
  /** Rows that belong to none of these papers, with the first key. Only tables that hold some. */
  readonly others: (
    papers: readonly string[],
  ) => Promise<
    readonly { readonly table: string; readonly count: number; readonly example: string }[]
  >;
  readonly close: () => void;
}

/** What the folder of a store holds. Every call may be repeated. */
export interface StoreContentsPort {
  /** A reason, in one sentence, where the tables are missing, damaged, or those of another version. */
  readonly tables: (store: StoreName) => Promise<StoredTables | { readonly unreadable: string }>;
  /** Of a generation or a draft. Null if the model is missing or damaged. */
  readonly bm25: (manifest: StoreManifest) => Promise<Bm25 | null>;
  /**
   * The generations that are used, from the newest on: the one in use, and those over which a run is open.
   * @param also - the fingerprints of others that are used
   */
  readonly kept: (store: StoreName, also?: readonly string[]) => Promise<readonly StoreManifest[]>;
  /** Names of what is there of other generations than these. Those of folders end with `/`. */
  readonly superseded: (
    store: StoreName,
    kept: readonly StoreManifest[],
  ) => Promise<{ readonly manifests: readonly string[]; readonly files: readonly string[] }>;
  /**
   * Names of what unfinished ingestions have left, and of papers that none of these generations holds.
   * @param over - the id of an ingestion whose PDFs are not about to be read any more
   */
  readonly unusedFiles: (
    store: StoreName,
    kept: readonly StoreManifest[],
    over?: string,
  ) => Promise<readonly string[]>;
  /** Removes a file or folder of the store. */
  readonly removeFile: (store: StoreName, name: string) => Promise<void>;
  /**
   * Turns the manifest in use into the draft's and removes those of all generations: from now on there is no such store, but
   * its key is known until `remove`, and an ingestion would go on with it. Null if no manifest says a key.
   */
  readonly withdraw: (store: StoreName) => Promise<Pick<StoreManifest, 'name' | 'key'> | null>;
  /** Removes the folder of a withdrawn store, the draft's manifest last. Resolves to whether it held any files. */
  readonly remove: (store: StoreName) => Promise<boolean>;
}

/** Who uses stores. Throws PortFailure('RunFilesUnavailable'). */
export interface StoreUsersPort {
  /** Of the contents of a store over which runs are open. */
  readonly fingerprints: (store: StoreName) => Promise<ReadonlySet<string>>;
}

/** The databases that stores hold. Throws PortFailure('StoreMissing') where one is damaged. */
export interface StoredDatabasesPort {
  /** Copies an imported database, for a generation of a store. Throws PortFailure('UnreadableImport') if it is missing. */
  readonly copyImported: (
    id: DatabaseId,
    store: StoreName,
  ) => Promise<{ readonly database: StoredDatabase; readonly tables: FileContent }>;
  /** Of the bytes of the database in use, in hex; null if it is missing, or cannot be read as it was stored. */
  readonly sha256: (store: StoreName) => Promise<string | null>;
  /** The cells that searches find, in some order that stays, some hundred at a time. */
  readonly cells: (
    store: StoreName,
    which: 'current' | 'draft',
    tables: readonly SearchedTable[],
  ) => AsyncIterable<readonly EncodableCell[]>;
}

/** A vector in a collection, without its numbers. */
export type VectorRef = CellRef & { readonly paperId: string };

/** The vectors in the collections of a store. Throws PortFailure('StoreUnavailable'). */
export interface StoredVectorsPort {
  readonly count: (generation: Generation, collection: string) => Promise<number>;
  /** In parts of some thousands. @param of - only those of these papers, or of this table */
  readonly refs: (
    generation: Generation,
    collection: string,
    of?: { readonly papers: readonly string[] } | { readonly table: string },
  ) => AsyncIterable<readonly VectorRef[]>;
}
