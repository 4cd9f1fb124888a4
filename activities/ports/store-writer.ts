import type { Bm25 } from '../../domain/stores/bm25.js';
import type { StoreName } from '../../domain/ids.js';
import type { PaperRows } from '../../domain/papers/paper-tables.js';
import type { StoreManifest } from '../../domain/stores/store-manifest.js';

/**
 * The files of a store. The next generation is drafted beside the one in use, which stays as it is until
 * `publish`; everything may be repeated. Throws PortFailure('StoreMissing') for a store that makes no sense.
 */
export interface StoreWriterPort {
  /** Of the generation in use; null before the first. */
  readonly manifest: (store: StoreName) => Promise<StoreManifest | null>;
  /** Whether the files a manifest speaks of are there. */
  readonly isWhole: (manifest: StoreManifest) => Promise<boolean>;
  /** The draft's manifest; null where nothing is being built. */
  readonly draft: (store: StoreName) => Promise<StoreManifest | null>;
  readonly writeDraft: (draft: StoreManifest) => Promise<void>;
  readonly writeTables: (store: StoreName, papers: AsyncIterable<PaperRows>) => Promise<void>;
  readonly writeBm25: (draft: StoreManifest, model: Bm25) => Promise<void>;
  /** Puts the draft into use, its manifest last. */
  readonly publish: (draft: StoreManifest) => Promise<void>;
}
