import type { StoreName } from '../../domain/ids.js';
import { bm25Encoder, newCorpus } from '../../domain/stores/bm25.js';
import { encodableCells, encodablePictures } from '../../domain/stores/database-schema.js';
import { partsOfCells } from '../../domain/stores/cell-parts.js';
import {
  bm25Collection,
  type Collection,
  type StoreManifest,
} from '../../domain/stores/store-manifest.js';
import { reportingFailures } from '../failures.js';
import type { EmbedderPort, PictureEmbedderPort } from '../ports/model.js';
import { PortFailure } from '../ports/port-failure.js';
import type { StoreContentsPort } from '../ports/store-contents.js';
import type {
  CollectionShape,
  CollectionsPort,
  Entry,
  PaperFilesPort,
  StoreWriterPort,
} from '../ports/stores.js';
import type { PicturesPort } from '../ports/tools.js';
import {
  rowsOfPapers,
  withPaperSource,
  type DerivedPaper,
  type PaperSource,
} from './paper-source.js';

export interface IndexingPorts {
  readonly collections: CollectionsPort;
  readonly contents: StoreContentsPort;
  readonly embedder: EmbedderPort;
  readonly paperFiles: PaperFilesPort;
  readonly pictureEmbedder: PictureEmbedderPort | null;
  readonly pictures: PicturesPort;
  readonly storeWriter: StoreWriterPort;
}

/** Fills the collections of the draft with the rows of its papers, and writes them into its manifest. */
export function createBuildCollections(ports: IndexingPorts): (input: {
  readonly store: StoreName;
  /** @defaultValue false */
  readonly rebuild?: boolean;
}) => Promise<{ readonly rows: number }> {
  return ({ store, rebuild = false }) =>
    reportingFailures(() =>
      withPaperSource(ports, store, rebuild, async (source, signal) => {
        const draft = await ports.storeWriter.draft(store);
        if (draft === null) {
          throw new PortFailure('StoreMissing', `Nothing is being built for store ${store}.`);
        }
        const sparse = await buildSparse(ports, source, draft, signal);
        const dense = await buildDense(ports, source, draft, signal);
        const pictures = await buildPictures(ports, source, draft, signal);
        const built = [sparse, dense, ...pictures];
        await ports.storeWriter.writeDraft({ ...draft, collections: built });
        return { rows: built.reduce((sum, { rows }) => sum + rows, 0) };
      }),
    );
}

async function buildSparse(
  { collections, storeWriter }: IndexingPorts,
  source: PaperSource,
  draft: StoreManifest,
  signal: AbortSignal,
): Promise<Collection> {
  const corpus = newCorpus();
  for await (const { rows } of rowsOfPapers(source, draft.papers, signal)) {
    for (const { page_content } of rows.pages) corpus.add(page_content ?? '');
  }
  const model = corpus.fit();
  await storeWriter.writeBm25(draft, model);
  const encoder = bm25Encoder(model);
  await collections.create(draft, bm25Collection);
  let rows = 0;
  for await (const paper of rowsOfPapers(source, draft.papers, signal)) {
    // BM25 reads a cell whole. A text without a term of the vocabulary has an empty vector, which no search can find.
    const entries = encodableCells(paper.rows)
      .map((cell) => entry(paper, cell, encoder.document(cell.text)))
      .filter(({ vector }) => vector.size > 0);
    await collections.insert(draft, bm25Collection.name, entries);
    rows += entries.length;
  }
  await collections.finish(draft, bm25Collection.name);
  return { ...bm25Collection, rows };
}

async function buildDense(
  { collections, embedder }: IndexingPorts,
  source: PaperSource,
  draft: StoreManifest,
  signal: AbortSignal,
): Promise<Collection> {
  let shape: CollectionShape | undefined;
  let rows = 0;
  for await (const paper of rowsOfPapers(source, draft.papers, signal)) {
    const parts = partsOfCells(encodableCells(paper.rows));
    if (parts.length === 0) continue; // Nothing is left of the paper.
    const vectors = await embedder.embed(
      parts.map(({ text }) => text),
      signal,
    );
    const entries = parts.map(({ cell }, index) => entry(paper, cell, vectors[index] ?? []));
    if (shape === undefined) {
      shape = denseShape(embedder, vectors);
      await collections.create(draft, shape);
    }
    await collections.insert(draft, shape.name, entries);
    rows += entries.length;
  }
  if (shape === undefined) {
    throw new PortFailure(
      'StoreMissing',
      `Nothing is left of the papers of store ${draft.name}: ingest their PDFs again.`,
    );
  }
  await collections.finish(draft, shape.name);
  return { ...shape, rows };
}

const entry = <Vector extends Entry['vector']>(
  { stored }: DerivedPaper,
  cell: Entry['cell'],
  vector: Vector,
): Entry & { readonly vector: Vector } => ({ paperId: stored.paperId, cell, vector });

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

/** Drawing a part of a page takes less than a second, unless the PDF is damaged. */
const drawingTimeoutMs = 60_000;

/** A collection of the pictures of figures and tables, if an embedder of pictures is set. What cannot be drawn is left out. */
async function buildPictures(
  { collections, pictureEmbedder, pictures }: IndexingPorts,
  source: PaperSource,
  draft: StoreManifest,
  signal: AbortSignal,
): Promise<readonly Collection[]> {
  if (pictureEmbedder === null) return [];
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
      await collections.insert(draft, shape.name, [entry(paper, cell, vector)]);
      rows += 1;
    }
  }
  await collections.finish(draft, shape.name);
  return [{ ...shape, rows }];
}
