import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { Ports } from '../activities/index.js';
import { openAiBaseUrl, type Environment } from '../domain/settings.js';
import { createFolderIngestions } from '../storage/ingestion-files.js';
import { createFolderRunFiles } from '../storage/run-files.js';
import { createPaperTextsInTables } from './adapters/duckdb/paper-texts.js';
import { createFolderContents } from './adapters/duckdb/store-contents.js';
import { createDuckdbStoreWriter } from './adapters/duckdb/store-writer.js';
import { createDuckdbTables } from './adapters/duckdb/tables.js';
import { createCachedEmbedder, createEmbedders, withPictures } from './adapters/embedders.js';
import { createFolderJudgingFiles } from './adapters/files/judging-files.js';
import { createFolderPaperFiles } from './adapters/files/paper-files.js';
import { createFolderDatabases, createFolderStores } from './adapters/files/stores.js';
import { createCommandGraph } from './adapters/graph/command-graph.js';
import { connectMilvus } from './adapters/milvus/client.js';
import { createMilvusCollections } from './adapters/milvus/collections.js';
import { createMilvusSearch } from './adapters/milvus/search.js';
import { createMilvusVectors } from './adapters/milvus/vectors.js';
import { secretsOfEnvironment } from './adapters/openai/endpoint.js';
import { createVllmPictureEmbedder } from './adapters/openai/picture-embedder.js';
import { createPdfiumPictures } from './adapters/pdfium/pictures.js';
import { createPdfiumPdf } from './adapters/pdfium/read-papers.js';
import { createTemporalAccounts, createTemporalQuestions } from './adapters/temporal.js';
import { createModelCalls } from './model-calls/chain.js';

/** Chooses the adapter of every port. `close` ends the processes and connections of the adapters. */
export function createPorts({
  environment,
  client,
  worker,
}: {
  readonly environment: Environment & { readonly MILVUS_ADDRESS: string };
  readonly client: Client;
  /** The name of this worker in its reports to provider accounts. */
  readonly worker: string;
}): Ports & { readonly close: () => Promise<void> } {
  const home = environment.TURNWISE_HOME;
  const baseUrl = environment.OPENAI_BASE_URL ?? openAiBaseUrl;
  const key = { apiKey: environment.OPENAI_API_KEY, keyIsFor: baseUrl };
  const embedders = createEmbedders({ baseUrl, ...key });
  const pictureModel = environment.TURNWISE_PICTURE_EMBEDDER;
  const pictureEmbedder =
    pictureModel === undefined
      ? null
      : createVllmPictureEmbedder({
          baseUrl: environment.TURNWISE_PICTURE_EMBEDDER_URL ?? baseUrl,
          model: pictureModel,
          ...key,
        });
  const embeddings = join(home, 'cache', 'embeddings');
  const milvus = connectMilvus({
    address: environment.MILVUS_ADDRESS,
    token: environment.MILVUS_TOKEN,
  });
  const tables = createDuckdbTables({ home });
  const paperFiles = createFolderPaperFiles(home);
  const storeWriter = createDuckdbStoreWriter(home);
  const stores = createFolderStores(home);
  return {
    clock: { now: () => new Date().toISOString() },
    databases: createFolderDatabases(home, stores),
    graph: createCommandGraph({
      command: environment.TURNWISE_GRAPHRAG_COMMAND,
      secrets: secretsOfEnvironment(process.env),
    }),
    judgingFiles: createFolderJudgingFiles(home),
    model: createModelCalls({
      client,
      key,
      accounts: createTemporalAccounts(client, environment.TURNWISE_TASK_QUEUE),
      worker,
      cacheFolder: join(home, 'cache'),
    }),
    questions: createTemporalQuestions(client),
    runFiles: createFolderRunFiles(home),
    search: createMilvusSearch({
      milvus,
      embedders: withPictures(embedders, pictureEmbedder),
      home,
    }),
    stores,
    tables,
    collections: createMilvusCollections(milvus),
    contents: createFolderContents(home),
    embedder: createCachedEmbedder({
      embedder: embedders(environment.TURNWISE_EMBEDDER),
      folder: embeddings,
    }),
    ingestionFiles: createFolderIngestions(home),
    pictureEmbedder:
      pictureEmbedder && createCachedEmbedder({ embedder: pictureEmbedder, folder: embeddings }),
    paperFiles,
    paperTexts: createPaperTextsInTables(tables),
    pdf: createPdfiumPdf({}),
    pictures: createPdfiumPictures({ manifest: storeWriter.manifest, pdf: paperFiles.pdf }),
    storeWriter,
    vectors: createMilvusVectors(milvus),
    close: async () => {
      tables.close();
      await milvus.close();
    },
  };
}
