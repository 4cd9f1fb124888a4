import type { IngestionPorts } from '../../../activities/ingestion/ingestion.js';
import { createFolderIngestions } from '../../../storage/ingestion-files.js';
import { createFolderContents } from '../../../worker/adapters/duckdb/store-contents.js';
import { createFolderStoredDatabases } from '../../../worker/adapters/duckdb/stored-database.js';
import { createDuckdbStoreWriter } from '../../../worker/adapters/duckdb/store-writer.js';
import { createEmbedders } from '../../../worker/adapters/embedders.js';
import { createFolderEnrichment } from '../../../worker/adapters/files/enrichment-files.js';
import { createFolderPaperFiles } from '../../../worker/adapters/files/paper-files.js';
import { createFilePaperImports } from '../../../worker/adapters/imports/paper-imports.js';
import type { Milvus } from '../../../worker/adapters/milvus/client.js';
import { createMilvusCollections } from '../../../worker/adapters/milvus/collections.js';
import { createMilvusVectors } from '../../../worker/adapters/milvus/vectors.js';
import { createPdfiumPictures } from '../../../worker/adapters/pdfium/pictures.js';
import { createPaperParsers } from '../../../worker/adapters/parsers/paper-parsers.js';
import { createPdfiumPdf } from '../../../worker/adapters/pdfium/read-papers.js';

const nowhere = 'http://127.0.0.1:1/v1';
export const testEmbedders = createEmbedders({
  baseUrl: nowhere,
  keyIsFor: nowhere,
  apiKey: undefined,
});

/** What a worker builds, checks and removes stores with. @param thread - the compiled thread that reads PDFs */
export const storePorts = (
  home: string,
  milvus: Milvus,
  thread: URL,
  pictureEmbedder: IngestionPorts['pictureEmbedder'] = null,
): IngestionPorts => {
  const paperFiles = createFolderPaperFiles(home);
  const storeWriter = createDuckdbStoreWriter(home);
  return {
    clock: { now: () => '2026-11-21T08:00:00.000Z' },
    collections: createMilvusCollections(milvus),
    contents: createFolderContents(home),
    embedder: testEmbedders('hashing'),
    enrichment: createFolderEnrichment(home),
    imports: createFilePaperImports(),
    ingestionFiles: createFolderIngestions(home),
    paperFiles,
    pictureEmbedder,
    pictures: createPdfiumPictures({ manifest: storeWriter.manifest, pdf: paperFiles.pdf, thread }),
    paperParsers: createPaperParsers({}),
    pdf: createPdfiumPdf({ thread }),
    storedDatabases: createFolderStoredDatabases(home),
    storeWriter,
    vectors: createMilvusVectors(milvus),
  };
};
