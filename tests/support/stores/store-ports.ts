import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IngestionPorts } from '../../../activities/ingestion/ingestion.js';
import { createIngestionFiles } from '../../../storage/stores/ingestion-files.js';
import { createStoreContents } from '../../../worker/adapters/duckdb/store-contents.js';
import { createStoredDatabases } from '../../../worker/adapters/duckdb/stored-database.js';
import { createDuckdbStoreWriter } from '../../../worker/adapters/duckdb/store-writer.js';
import { createEmbedders } from '../../../worker/adapters/embedders.js';
import { createEnrichmentFiles } from '../../../worker/adapters/files/job-files.js';
import { createPaperFiles } from '../../../worker/adapters/files/paper-files.js';
import { createPaperImports } from '../../../worker/adapters/imports/paper-imports.js';
import type { Milvus } from '../../../worker/adapters/milvus/client.js';
import {
  createMilvusCollections,
  createMilvusVectors,
} from '../../../worker/adapters/milvus/collections.js';
import { createPdfiumPictures } from '../../../worker/adapters/pdfium/pictures.js';
import { createPaperParsers } from '../../../worker/adapters/parsers/paper-parsers.js';
import { createPdfiumPdf } from '../../../worker/adapters/pdfium/read-papers.js';
import type { StorePlace } from '../../../storage/stores/store-place.js';
import { placeAt } from './place-at.js';

const nowhere = 'http://127.0.0.1:1/v1';
export const testEmbedders = createEmbedders(
  { baseUrl: nowhere, keyIsFor: nowhere, apiKey: undefined },
  { folder: tmpdir(), python: 'no-python' },
);

/** What a worker builds, checks and removes stores with. @param thread - the compiled thread that reads PDFs */
export const storePorts = (
  home: string,
  milvus: Milvus,
  thread: URL,
  pictureEmbedder: IngestionPorts['pictureEmbedder'] = null,
  {
    storage,
    copies,
    generations,
    imported,
    inUse = new Set(),
  }: Omit<StorePlace, 'importFolder'> & { readonly inUse?: ReadonlySet<string> } = placeAt(home),
): IngestionPorts => {
  const paperFiles = createPaperFiles(storage, copies);
  const scratch = join(home, 'cache', 'building');
  return {
    clock: { now: () => '2026-11-21T08:00:00.000Z' },
    collections: createMilvusCollections(milvus),
    contents: createStoreContents({
      ...{ storage, generations },
      users: { fingerprints: () => Promise.resolve(inUse) },
    }),
    embedders: testEmbedders,
    enrichment: createEnrichmentFiles(storage),
    imports: createPaperImports(storage, copies),
    ingestionFiles: createIngestionFiles(storage),
    paperFiles,
    pictureEmbedder,
    pictures: createPdfiumPictures({ generations, pdf: paperFiles.pdf, thread }),
    paperParsers: createPaperParsers({}),
    pdf: createPdfiumPdf({ thread }),
    storedDatabases: createStoredDatabases(generations, imported, scratch),
    storeWriter: createDuckdbStoreWriter(generations, scratch),
    vectors: createMilvusVectors(milvus),
  };
};
