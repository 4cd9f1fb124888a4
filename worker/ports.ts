import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { Ports } from '../activities/index.js';
import type { ModelPort } from '../activities/ports/model.js';
import type { HomeId } from '../domain/home.js';
import type { Environment } from '../domain/settings.js';
import { createOwnCode } from '../plugins/own-code.js';
import { createIngestionFiles } from '../storage/stores/ingestion-files.js';
import { cacheFolder } from '../storage/cached-replies.js';
import { createRunFiles } from '../storage/runs/run-files.js';
import { openStorePlace } from '../storage/stores/store-place.js';
import { createPaperTextsInTables } from './adapters/duckdb/paper-texts.js';
import { createStoreContents } from './adapters/duckdb/store-contents.js';
import { createStoredDatabases } from './adapters/duckdb/stored-database.js';
import { createDuckdbStoreWriter } from './adapters/duckdb/store-writer.js';
import { createDuckdbTables } from './adapters/duckdb/tables.js';
import { createCachedEmbedder, createEmbedders, withPictures } from './adapters/embedders.js';
import {
  createBuildingFiles,
  createBatchFiles,
  createEnrichmentFiles,
  createJudgingFiles,
} from './adapters/files/job-files.js';
import { createPaperFiles } from './adapters/files/paper-files.js';
import { createDatabases, createStores } from './adapters/files/stores.js';
import { createCommandGraph } from './adapters/graph/command-graph.js';
import { createWebhook } from './adapters/http/exchange.js';
import { createPaperImports } from './adapters/imports/paper-imports.js';
import { connectMilvus } from './adapters/milvus/client.js';
import { createMilvusCollections, createMilvusVectors } from './adapters/milvus/collections.js';
import { createMilvusSearch } from './adapters/milvus/search.js';
import { askEndpoints, keysOf, secretsOfEnvironment } from './adapters/model-apis/endpoint.js';
import { createBatches } from './adapters/model-apis/batches.js';
import { createVllmPictureEmbedder } from './adapters/model-apis/embedder.js';
import { createPaperParsers, type ParserServers } from './adapters/parsers/paper-parsers.js';
import { createPdfiumPictures } from './adapters/pdfium/pictures.js';
import { createPdfiumPdf } from './adapters/pdfium/read-papers.js';
import {
  createRunningRuns,
  createTemporalAccounts,
  createTemporalQuestions,
} from './adapters/temporal.js';
import { leasedBudgets } from './model-calls/budget-lease.js';
import { createModelCalls } from './model-calls/chain.js';
import type { SentCalls } from './model-calls/sent-calls.js';
import { milvusLitePython, miniLmFolder } from './embedded/python-engines.js';
import { cacheFolder as engineFolder } from './embedded/setup-context.js';
import { reservingGraph } from './model-calls/reserve.js';

/** Chooses the adapter of every port. `close` ends the processes and connections of the adapters. */
export function createPorts({
  environment,
  client,
  identity,
  worker,
  sentCalls,
  measured,
}: {
  readonly environment: Environment;
  readonly client: Client;
  /** `home`: what `storageOf` the environment is. */
  readonly identity: { readonly home: HomeId; readonly taskQueue: string };
  /** The name of this worker in its reports to provider accounts. */
  readonly worker: string;
  readonly sentCalls: SentCalls;
  /** Measures what is sent. */
  readonly measured: (next: ModelPort) => ModelPort;
}): Ports & { readonly close: () => Promise<void> } {
  const home = environment.TURNWISE_HOME;
  const keys = keysOf(environment);
  const key = keys.chat;
  const baseUrl = key.keyIsFor;
  const engines = engineFolder(environment.TURNWISE_CACHE);
  const embedders = createEmbedders(
    { baseUrl, ...key },
    { folder: miniLmFolder(engines), python: milvusLitePython(engines) },
  );
  const pictureModel = environment.TURNWISE_PICTURE_EMBEDDER;
  const pictureEmbedder =
    pictureModel === undefined
      ? null
      : createVllmPictureEmbedder({
          baseUrl: environment.TURNWISE_PICTURE_EMBEDDER_URL ?? baseUrl,
          model: pictureModel,
          ...key,
        });
  const embeddings = join(cacheFolder(home), 'embeddings');
  const milvus = connectMilvus({
    address: environment.MILVUS_ADDRESS,
    token: environment.MILVUS_TOKEN,
  });
  const { storage, copies, generations, imported } = openStorePlace(environment);
  const tables = createDuckdbTables({
    ...{ generations, imported },
    processes: environment.TURNWISE_SQL_PROCESSES,
  });
  const paperFiles = createPaperFiles(storage, copies);
  const runFiles = createRunFiles(storage);
  const batchFiles = createBatchFiles(runFiles, storage);
  const secrets = secretsOfEnvironment(process.env);
  const ownCode = createOwnCode({ home, secrets });
  const scratch = join(cacheFolder(home), 'building');
  const budgets = leasedBudgets(client, identity.home);
  const webhook = environment.TURNWISE_WEBHOOK;
  return {
    buildingFiles: createBuildingFiles(storage),
    clock: { now: () => new Date().toISOString() },
    databases: createDatabases(generations, imported),
    graph: reservingGraph(budgets)(
      createCommandGraph({
        command: environment.TURNWISE_GRAPHRAG_COMMAND,
        secrets,
      }),
    ),
    judgingFiles: createJudgingFiles(storage),
    model: createModelCalls({
      budgets,
      keys,
      accounts: createTemporalAccounts(client, identity),
      worker,
      cacheFolder: cacheFolder(home),
      sentCalls,
      measured,
      batchFiles,
    }),
    batches: createBatches(keys),
    batchFiles,
    endpoints: { ask: ({ apis }) => askEndpoints(environment, apis) },
    ownCode,
    questions: createTemporalQuestions(client, identity.home),
    runFiles,
    scratch: tables.scratch,
    search: createMilvusSearch({
      milvus,
      embedders: withPictures(embedders, pictureEmbedder),
      generations,
    }),
    stores: createStores(generations),
    tables,
    collections: createMilvusCollections(milvus),
    contents: createStoreContents({
      ...{ storage, generations },
      users: createRunningRuns(client, identity.home, runFiles),
    }),
    embedders: (name) => createCachedEmbedder({ embedder: embedders(name), folder: embeddings }),
    enrichment: createEnrichmentFiles(storage),
    imports: createPaperImports(storage, copies),
    ingestionFiles: createIngestionFiles(storage),
    pictureEmbedder:
      pictureEmbedder && createCachedEmbedder({ embedder: pictureEmbedder, folder: embeddings }),
    paperFiles,
    paperParsers: createPaperParsers({
      ...server('grobid', environment.TURNWISE_GROBID_URL),
      ...server('docling', environment.TURNWISE_DOCLING_URL, environment.TURNWISE_DOCLING_KEY),
      ...server('mineru', environment.TURNWISE_MINERU_URL),
    }),
    paperTexts: createPaperTextsInTables(tables),
    pdf: createPdfiumPdf(),
    pictures: createPdfiumPictures({ generations, pdf: paperFiles.pdf }),
    storedDatabases: createStoredDatabases(generations, imported, scratch),
    storeWriter: createDuckdbStoreWriter(generations, scratch),
    vectors: createMilvusVectors(milvus),
    webhook: webhook === undefined ? null : createWebhook(webhook),
    close: async () => {
      tables.close();
      await ownCode.close();
      await milvus.close();
    },
  };
}

const server = (parser: keyof ParserServers, url?: string, key?: string): ParserServers =>
  url === undefined ? {} : { [parser]: { url, key } };
