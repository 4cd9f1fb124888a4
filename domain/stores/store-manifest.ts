import { z } from 'zod';
import { storeNameSchema, type StoreName } from '../ids.js';
import { storedDatabaseSchema } from './database.js';
import { fileContentSchema, type FileContent } from '../file-content.js';
import { appliedParserSchema } from './paper-parsers.js';

/** What the vectors of a collection are made from. */
export type Modality = 'text' | 'image';

/** The name of a collection: its modality, the kind of embedder, and the model's name without its path. */
export function collectionName(modality: Modality, kind: string, model: string): string {
  const basename = model.split('/').at(-1) ?? model;
  return `${modality}_${kind}_${basename}`.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_');
}

/** The modality of a collection, by its name. */
export const modalityOf = (collection: string): Modality =>
  collection.startsWith('image_') ? 'image' : 'text';

/** A collection as the model sees it. `collectionInMilvus` gives its name in Milvus. */
export const collectionSchema = z.object({
  /** `{modality}_{embedder}_{model}`, e.g. `text_bm25_en`. */
  name: z.string().min(1),
  /** The embedder of the vectors, e.g. `bm25/en` or `hashing/384`. */
  embedder: z.string().min(1),
  metric: z.enum(['IP', 'COSINE']),
  vector: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('sparse') }),
    z.object({ kind: z.literal('dense'), dimensions: z.int().positive() }),
  ]),
  rows: z.int().nonnegative(),
});
export type Collection = Readonly<z.infer<typeof collectionSchema>>;

/** The BM25 collection that every store has: sparse vectors, computed with the store's own model. */
export const bm25Collection = {
  name: 'text_bm25_en',
  embedder: 'bm25/en',
  metric: 'IP',
  vector: { kind: 'sparse' },
} as const satisfies Omit<Collection, 'rows'>;

/** What made the dense vectors of a store's texts. Null if it has none. */
export const textEmbedderOf = ({
  collections,
}: Pick<StoreManifest, 'collections'>): string | null =>
  collections.find(
    ({ name, embedder }) => embedder !== bm25Collection.embedder && modalityOf(name) === 'text',
  )?.embedder ?? null;

const storedPaperSchema = z.object({
  paperId: z.guid(),
  title: z.string(),
  /** File name of the PDF it was read from. */
  file: z.string(),
  /** Where the PDF was when it was read. Absent where there was none. */
  path: z.string().optional(),
  /** SHA-256 of the PDF's bytes, in hex; of a paper imported without its PDF, that of its rows. */
  sha256: z.string().length(64),
  /** 0 where an import lacks them. */
  pages: z.int().nonnegative(),
  /** Other parsers whose parts the paper has; absent where there are none. */
  parsers: z.array(appliedParserSchema).optional(),
  /** Absent where the paper was read from its PDF. */
  imported: z.object({ hasPdf: z.boolean() }).optional(),
  /** What models have added to its rows. Absent where they have added nothing. */
  enrichment: z
    .object({
      /** A hash of all of it. */
      digest: z.string(),
      /** The pages whose text a model has read from a picture. */
      readByModel: z.array(z.int().positive()),
    })
    .optional(),
});
export type StoredPaper = Readonly<z.infer<typeof storedPaperSchema>>;

/**
 * A generation of a store, `stores/S/generations/N-KEY.json`. It is created last and never changed, so that everything it
 * names is complete. That of the highest number is in use.
 */
export const storeManifestSchema = z.object({
  name: storeNameSchema,
  /** Separates its collections from those of stores of the same name in other homes that share the Milvus server. */
  key: z.string().regex(/^[0-9a-zA-Z]{1,16}$/),
  /** Increases with every ingestion; part of the collections' names in Milvus. */
  generation: z.int().positive(),
  /** Made from papers with their enrichment, schema, extraction and embedders: stores with equal fingerprints have equal content. */
  fingerprint: z.string().min(1),
  /** SHA-256 of the BM25 model that came with an import; absent where the model is fitted to the pages. */
  givenBm25: z.string().length(64).optional(),
  /** ISO 8601. */
  builtAt: z.string(),
  /** Empty in a store that holds a database. */
  papers: z.array(storedPaperSchema),
  /** Absent in a store of papers. */
  database: storedDatabaseSchema.optional(),
  collections: z.array(collectionSchema),
  /** A draft does not have all of them. */
  files: z.object({ tables: fileContentSchema.optional(), bm25: fileContentSchema.optional() }),
});
export type StoreManifest = Readonly<z.infer<typeof storeManifestSchema>>;

/** Identifies a generation of a store. */
export type Generation = Pick<StoreManifest, 'name' | 'key' | 'generation'>;

export const collectionInMilvus = (generation: Generation, collection: string): string =>
  `${prefixInMilvus(generation)}${generation.generation}__${collection}`;

/** The common prefix of the names of a store's collections in Milvus. */
const prefixInMilvus = ({ name, key }: Pick<StoreManifest, 'name' | 'key'>): string =>
  `${name}__${key}__`;

/** The generation of a collection in Milvus; null if the collection belongs to another store. */
export function generationInMilvus(
  store: Pick<StoreManifest, 'name' | 'key'>,
  inMilvus: string,
): number | null {
  // A modality follows the number, so that store `a` does not take what store `a__1` has for its own.
  const [, number] =
    new RegExp(`^${prefixInMilvus(store)}(\\d+)__(?:text|image)_`).exec(inMilvus) ?? [];
  return number === undefined ? null : Number(number);
}

/** The folder of all stores. */
export const storesFolder = 'stores';

export const storeFolder = (store: StoreName): string => `${storesFolder}/${store}`;

/** The manifests of a store, in its folder. */
export const generationsFolder = 'generations';

/** Another store of the same name has another key, so that no name ever stands for another content. */
export const generationFile = ({
  key,
  generation,
}: Pick<Generation, 'key' | 'generation'>): string =>
  `${generationsFolder}/${generation}-${key}.json`;

/** The number of a generation by the name of its manifest; null if it is none. */
export function generationOfFile(name: string): number | null {
  const [, number] = /^(\d+)-[0-9a-zA-Z]+\.json$/.exec(name) ?? [];
  return number === undefined ? null : Number(number);
}

/** The key of a store by the name of one of its manifests; null if it is none. */
export const keyOfFile = (name: string): string | null =>
  /(?:^|\/)\d+-([0-9a-zA-Z]+)\.json$/.exec(name)?.[1] ?? null;

/** Files of generations, each in a folder named by its SHA-256. */
export const filesFolder = 'files';

export type StoreFile = keyof StoreManifest['files'];

/** DuckDB takes the name of the catalog from that of the file. */
export const databaseFile = (store: StoreName): string => `${store}.duckdb`;

/** The fitted BM25 model. */
export const bm25File = 'bm25.json';

const fileNames: Readonly<Record<StoreFile, (store: StoreName) => string>> = {
  tables: databaseFile,
  bm25: () => bm25File,
};

/** A file of a generation, in the folder of its store. */
export const storeFile = (
  store: StoreName,
  file: StoreFile,
  { sha256 }: Pick<FileContent, 'sha256'>,
): string => `${filesFolder}/${sha256}/${fileNames[file](store)}`;

/** The manifest of the generation that is being built, in the folder of its store. */
export const draftFile = 'draft.json';

/** What is kept of PDFs. The names of all files of a PDF begin with its SHA-256 and a dot. */
export const papersFolder = 'papers';
export const sha256OfFile = (name: string): string => name.split('.')[0] ?? '';

/** The extracted content of a PDF, so that each PDF is read once. */
export const extractedPaperFile = (sha256: string): string => `${papersFolder}/${sha256}.json`;

/** A copy of the PDF, for rendering pages. */
export const pdfCopyFile = (sha256: string): string => `${papersFolder}/${sha256}.pdf`;

/** Which files of other parsers lay beside a PDF (`besidePdfSchema`). */
export const besidePdfFile = (sha256: string): string => `${papersFolder}/${sha256}.beside.json`;
