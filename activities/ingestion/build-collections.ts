import type { StoreName } from '../../domain/ids.js';
import { bm25Encoder } from '../../domain/stores/bm25.js';
import {
  encodableCells,
  encodablePictures,
  partsOfCells,
  type EncodableCell,
} from '../../domain/stores/database-schema.js';
import {
  bm25Collection,
  type Collection,
  type StoreManifest,
} from '../../domain/stores/store-manifest.js';
import { drawingTimeoutMs } from '../../domain/worker-timeouts.js';
import { reportingFailures } from '../failures.js';
import type { EmbedderPort, EmbeddersPort, PictureEmbedderPort } from '../ports/model.js';
import { PortFailure } from '../ports/port-failure.js';
import type { StoredDatabasesPort } from '../ports/store-contents.js';
import type { CollectionShape, CollectionsPort, Entry, StoreWriterPort } from '../ports/stores.js';
import type { PicturesPort } from '../ports/tools.js';
import {
  rowsOfPapers,
  withPaperSource,
  type PaperSource,
  type SourcePorts,
} from './paper-source.js';

interface IndexingPorts extends SourcePorts {
  readonly collections: CollectionsPort;
  readonly embedders: EmbeddersPort;
  readonly pictureEmbedder: PictureEmbedderPort | null;
  readonly pictures: PicturesPort;
  readonly storedDatabases: StoredDatabasesPort;
  readonly storeWriter: StoreWriterPort;
}

/** Some cells of a store, in memory at a time. */
interface Cells {
  /** Empty in a store of a database. */
  readonly paperId: string;
  readonly cells: readonly EncodableCell[];
}

/** Fills the collections of the draft with its cells, and writes them into its manifest. */
export function createBuildCollections(ports: IndexingPorts): (input: {
  readonly store: StoreName;
  /** Of its texts, by its name in a manifest. */
  readonly embedder: string;
  /** @defaultValue false */
  readonly rebuild?: boolean;
}) => Promise<{ readonly rows: number }> {
  return ({ store, embedder, rebuild = false }) =>
    reportingFailures(() =>
      withPaperSource(ports, store, rebuild, async (source, signal) => {
        const draft = await ports.storeWriter.draft(store);
        if (draft === null) {
          throw new PortFailure('StoreMissing', `Nothing is being built for store ${store}.`);
        }
        const cells =
          draft.database === undefined
            ? cellsOfPapers(source, draft, signal)
            : cellsOfDatabase(ports, draft, signal);
        const texts = await buildTexts(ports, ports.embedders(embedder), cells, draft, signal);
        const pictures = await buildPictures(ports, source, draft, signal);
        const built = [...texts, ...pictures];
        await ports.storeWriter.writeDraft({ ...draft, collections: built });
        return { rows: built.reduce((sum, { rows }) => sum + rows, 0) };
      }),
    );
}

async function* cellsOfPapers(
  source: PaperSource,
  { papers }: StoreManifest,
  signal: AbortSignal,
): AsyncGenerator<Cells> {
  for await (const { stored, rows } of rowsOfPapers(source, papers, signal)) {
    yield { paperId: stored.paperId, cells: encodableCells(rows) };
  }
}

async function* cellsOfDatabase(
  { storedDatabases }: IndexingPorts,
  { name, database }: StoreManifest,
  signal: AbortSignal,
): AsyncGenerator<Cells> {
  for await (const cells of storedDatabases.cells(name, 'draft', database?.searched ?? [])) {
    signal.throwIfAborted();
    yield { paperId: '', cells };
  }
}

/** Both collections of texts, from the same cells. */
async function buildTexts(
  ports: IndexingPorts,
  embedder: EmbedderPort,
  source: AsyncIterable<Cells>,
  draft: StoreManifest,
  signal: AbortSignal,
): Promise<readonly Collection[]> {
  const inserts = insertsBehind(ports.collections, draft);
  const sparse = await sparseBuilder(ports, inserts, draft);
  const dense = denseBuilder(ports, embedder, inserts, draft, signal);
  try {
    for await (const cells of source) {
      await sparse.add(cells);
      await dense.add(cells);
    }
    await inserts.done();
  } finally {
    // What still goes on after a failure would add to that which the next attempt makes.
    await inserts.settled();
  }
  const [inSparse, inDense] = await Promise.all([sparse.finish(), dense.finish()]);
  return [inSparse, ...inDense];
}

interface Inserts {
  /** Resolves when the entries that were given before, for the same collection, are inserted. */
  readonly insert: (collection: string, entries: readonly Entry[]) => Promise<void>;
  /** Rejects where an insert has failed. */
  readonly done: () => Promise<void>;
  readonly settled: () => Promise<void>;
}

/** Milvus takes in some entries of a collection while the next ones are made. */
function insertsBehind(collections: CollectionsPort, draft: StoreManifest): Inserts {
  const last = new Map<string, Promise<void>>();
  return {
    insert: async (collection, entries) => {
      await last.get(collection);
      const inserting = collections.insert(draft, collection, entries);
      inserting.catch(() => undefined); // Whoever waits for it is told.
      last.set(collection, inserting);
    },
    done: async () => {
      await Promise.all(last.values());
    },
    settled: async () => {
      await Promise.allSettled(last.values());
    },
  };
}

async function sparseBuilder(
  { collections, contents }: IndexingPorts,
  inserts: Inserts,
  draft: StoreManifest,
): Promise<{
  readonly add: (cells: Cells) => Promise<void>;
  readonly finish: () => Promise<Collection>;
}> {
  const model = await contents.bm25(draft);
  if (model === null) {
    throw new PortFailure('StoreMissing', `The BM25 model of store ${draft.name} is lost.`);
  }
  const encoder = bm25Encoder(model);
  await collections.create(draft, bm25Collection);
  let rows = 0;
  return {
    add: async ({ paperId, cells }) => {
      // BM25 reads a cell whole. A text without a term of the vocabulary has an empty vector, which no search can find.
      const entries = cells
        .map((cell) => ({ paperId, cell, vector: encoder.document(cell.text) }))
        .filter(({ vector }) => vector.size > 0);
      await inserts.insert(bm25Collection.name, entries);
      rows += entries.length;
    },
    finish: async () => {
      await collections.finish(draft, bm25Collection.name);
      return { ...bm25Collection, rows };
    },
  };
}

/** A long paper has some hundred; a cell of some megabytes has thousands. */
const partsAtATime = 1_000;

function denseBuilder(
  { collections }: IndexingPorts,
  embedder: EmbedderPort,
  inserts: Inserts,
  draft: StoreManifest,
  signal: AbortSignal,
): {
  readonly add: (cells: Cells) => Promise<void>;
  /** None where the draft is of a database without a text. */
  readonly finish: () => Promise<readonly Collection[]>;
} {
  let shape: CollectionShape | undefined;
  let rows = 0;
  return {
    add: async ({ paperId, cells }) => {
      const all = partsOfCells(cells); // None if nothing is left of a paper.
      for (let from = 0; from < all.length; from += partsAtATime) {
        const parts = all.slice(from, from + partsAtATime);
        const texts = parts.map(({ text }) => text);
        const vectors = await embedder.embed(texts, signal);
        if (shape === undefined) {
          shape = denseShape(embedder, vectors);
          await collections.create(draft, shape);
        }
        const entries = parts.map(({ cell }, index) => ({
          ...{ paperId, cell },
          vector: vectors[index] ?? [],
        }));
        await inserts.insert(shape.name, entries);
        rows += entries.length;
      }
    },
    finish: async () => {
      if (shape === undefined && draft.database !== undefined) return [];
      if (shape === undefined) {
        throw new PortFailure(
          'StoreMissing',
          `Nothing is left of the papers of store ${draft.name}: ingest their PDFs again.`,
        );
      }
      await collections.finish(draft, shape.name);
      return [{ ...shape, rows }];
    },
  };
}

/** @param vectors - of any texts: only the endpoint knows how long they are */
const denseShape = (
  { name, collection }: EmbedderPort,
  vectors: readonly (readonly number[])[],
): CollectionShape => ({
  name: collection,
  embedder: name,
  metric: 'COSINE',
  vector: { kind: 'dense', dimensions: vectors[0]?.length ?? 0 },
});

/** A collection of the pictures of figures and tables, if an embedder of pictures is set. What cannot be drawn is left out. */
async function buildPictures(
  { collections, pictureEmbedder, pictures }: IndexingPorts,
  source: PaperSource,
  draft: StoreManifest,
  signal: AbortSignal,
): Promise<readonly Collection[]> {
  if (pictureEmbedder === null || draft.database !== undefined) return [];
  const shape = denseShape(pictureEmbedder, await pictureEmbedder.embed(['a picture'], signal));
  await collections.create(draft, shape);
  let rows = 0;
  for await (const paper of rowsOfPapers(source, draft.papers, signal)) {
    const { sha256 } = paper.stored;
    for (const cell of encodablePictures(paper.rows)) {
      const area = { store: draft.name, sha256, page: cell.pageNumber, box: cell.box };
      const drawn = await pictures.ofPdf({ ...area, timeoutMs: drawingTimeoutMs }, signal);
      if (drawn.kind !== 'picture') continue;
      const [vector = []] = await pictureEmbedder.embedPictures([drawn.picture], signal);
      await collections.insert(draft, shape.name, [
        { paperId: paper.stored.paperId, cell, vector },
      ]);
      rows += 1;
    }
  }
  await collections.finish(draft, shape.name);
  return [{ ...shape, rows }];
}
