import type { PaperText } from '../../domain/agent/question-context.js';
import type { StoreName } from '../../domain/ids.js';
import type { Bm25, SparseVector } from '../../domain/stores/bm25.js';
import type { EncodableCell } from '../../domain/stores/database-schema.js';
import type { PaperRows } from '../../domain/stores/paper-tables.js';
import type { ExtractedPaper, PdfDocument } from '../../domain/stores/pdf-document.js';
import type { Collection, Generation, StoreManifest } from '../../domain/stores/store-manifest.js';

export interface StoresPort {
  /** Of a store as it is now: equal ones answer alike. Throws PortFailure('StoreMissing'). */
  readonly fingerprint: (store: StoreName) => Promise<string>;
}

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

/** PDFs as files, and what reading them gave. */
export interface PaperFilesPort {
  /** SHA-256 of a file, in hex. Throws PortFailure('UnreadablePdf') where there is no such file. */
  readonly fingerprint: (path: string) => Promise<string>;
  /** Null where the PDF has not been read, or by another version of the extraction. */
  readonly kept: (store: StoreName, sha256: string) => Promise<ExtractedPaper | null>;
  /** The PDF at `paper.path` is kept too, so that the store does not depend on where papers came from. */
  readonly keep: (store: StoreName, paper: ExtractedPaper) => Promise<void>;
  /** Where a store's PDF is now; null where it is neither with the store nor where it was read. */
  readonly pdf: (store: StoreName, sha256: string) => Promise<string | null>;
}

/** Papers as a store holds them. Throws PortFailure where the store cannot be read. */
export interface PaperTextsPort {
  /** By paper id; a paper the store does not hold is absent. */
  readonly titles: (
    request: { readonly store: StoreName; readonly papers: readonly string[] },
    signal: AbortSignal,
  ) => Promise<ReadonlyMap<string, string>>;
  /** In the order asked; papers the store does not hold are left out, NULL is an empty text. */
  readonly texts: (
    request: { readonly store: StoreName; readonly papers: readonly string[] },
    signal: AbortSignal,
  ) => Promise<readonly PaperText[]>;
}

export interface PdfPort {
  /** Throws PortFailure('UnreadablePdf') with one sentence that names the file and what is wrong with it. */
  readonly read: (path: string, signal: AbortSignal) => Promise<PdfDocument>;
}
