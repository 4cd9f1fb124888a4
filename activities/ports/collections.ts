import type { SparseVector } from '../../domain/stores/bm25.js';
import type { EncodableCell } from '../../domain/papers/encodable-cells.js';
import type { Collection, Generation, StoreManifest } from '../../domain/stores/store-manifest.js';

export type CollectionShape = Omit<Collection, 'rows'>;

/** A cell and its vector. */
export interface Entry {
  readonly paperId: string;
  readonly cell: EncodableCell;
  readonly vector: SparseVector | readonly number[];
}

/** The collections of a store's generations in the vectorstore. Throws PortFailure('StoreUnavailable'). */
export interface CollectionsPort {
  /** An empty collection; one of that name that is there already goes. */
  readonly create: (generation: Generation, shape: CollectionShape) => Promise<void>;
  readonly insert: (
    generation: Generation,
    collection: string,
    entries: readonly Entry[],
  ) => Promise<void>;
  /** Makes what was inserted durable and searchable. */
  readonly finish: (generation: Generation, collection: string) => Promise<void>;
  /** Whether all collections of a manifest exist. */
  readonly exist: (manifest: StoreManifest) => Promise<boolean>;
  /** Removes the collections of all other generations of the store. */
  readonly dropOthers: (generation: Generation) => Promise<void>;
}
