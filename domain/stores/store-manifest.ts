import { z } from 'zod';
import { storeNameSchema, type StoreName } from '../ids.js';

/** The name of a text collection (hybrid-agent.md §7.1): `text_`, the kind of embedder and the model without its path. */
export function textCollectionName(kind: string, model: string): string {
  const basename = model.split('/').at(-1) ?? model;
  return `text_${kind}_${basename}`.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_');
}

/** A Milvus collection as the model sees it. Its name in Milvus carries the store and generation: `collectionInMilvus`. */
export const collectionSchema = z.object({
  /** In the reference's form, `{modality}_{embedder}_{model}`, e.g. `text_bm25_en`. */
  name: z.string().min(1),
  /** Where vectors come from, e.g. `bm25/en` or `hashing/384`. */
  embedder: z.string().min(1),
  metric: z.enum(['IP', 'COSINE']),
  vector: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('sparse') }),
    z.object({ kind: z.literal('dense'), dimensions: z.int().positive() }),
  ]),
  rows: z.int().nonnegative(),
});
export type Collection = Readonly<z.infer<typeof collectionSchema>>;

/** The collection every store has: sparse vectors, computed by `bm25.ts` with the store's own model. */
export const bm25Collection = {
  name: 'text_bm25_en',
  embedder: 'bm25/en',
  metric: 'IP',
  vector: { kind: 'sparse' },
} as const satisfies Omit<Collection, 'rows'>;

export const storedPaperSchema = z.object({
  paperId: z.uuid(),
  title: z.string(),
  /** File name of the PDF it was read from. */
  file: z.string(),
  /** Of the PDF's bytes, in hex. */
  sha256: z.string().length(64),
  pages: z.int().positive(),
});
export type StoredPaper = Readonly<z.infer<typeof storedPaperSchema>>;

/** `stores/S/store.json`. Written last when a store changes: what it names is complete. */
export const storeManifestSchema = z.object({
  name: storeNameSchema,
  /**
   * Tells its collections from those of a store of the same name in another home, where both share a Milvus.
   */
  key: z.string().regex(/^[0-9a-zA-Z]{1,16}$/),
  /** Grows by one with every ingestion; part of the names of the store's collections in Milvus. */
  generation: z.int().positive(),
  /** Of papers, schema, extraction and embedders: equal fingerprints answer alike. */
  fingerprint: z.string().min(1),
  /** ISO 8601. */
  builtAt: z.string(),
  papers: z.array(storedPaperSchema),
  collections: z.array(collectionSchema),
});
export type StoreManifest = Readonly<z.infer<typeof storeManifestSchema>>;

/** Which of a store's generations. */
export type Generation = Pick<StoreManifest, 'name' | 'key' | 'generation'>;

export const collectionInMilvus = (generation: Generation, collection: string): string =>
  `${prefixInMilvus(generation)}${generation.generation}__${collection}`;

/** What the names of all of a store's collections begin with. */
export const prefixInMilvus = ({ name, key }: Pick<StoreManifest, 'name' | 'key'>): string =>
  `${name}__${key}__`;

/** Names inside TURNWISE_HOME. Worker and client find a store's files by these alone. */
export const storesFolder = 'stores';

export const storeFolder = (store: StoreName): string => `${storesFolder}/${store}`;

export const storeManifestFile = 'store.json';

export const databaseFile = (store: StoreName): string => `${store}.duckdb`;

/** The fitted BM25 model. One per generation, since the vectors of a generation are read by its own model only. */
export const bm25File = (generation: number): string => `bm25.${generation}.json`;

/** What a PDF was found to hold, so that it is read only once. */
export const extractedPaperFile = (sha256: string): string => `papers/${sha256}.json`;

/** The PDF itself: pages are drawn from it. */
export const pdfCopyFile = (sha256: string): string => `papers/${sha256}.pdf`;

/** Of the generation being built: moved to their places when all of it is there. */
export const draftManifestFile = 'store.draft.json';
export const draftDatabaseFile = (store: StoreName): string => `${store}.draft.duckdb`;
