import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { Worker } from '@temporalio/worker';
import type { MilvusClient } from '@zilliz/milvus2-sdk-node';
import { createIngestionActivities } from '../../../activities/ingestion/ingestion.js';
import { checkStore } from '../../../client/runs/stores/store-workflows.js';
import { storeNameSchema } from '../../../domain/ids.js';
import { environmentSchema, type Environment } from '../../../domain/settings.js';
import { paperTables } from '../../../domain/stores/paper-tables.js';
import type { CheckStoreResult } from '../../../domain/stores/store-check.js';
import {
  collectionInMilvus,
  type StoreFile,
  type StoreManifest,
} from '../../../domain/stores/store-manifest.js';
import { connectMilvus } from '../../../worker/adapters/milvus/client.js';
import { compiledEntry } from '../commands/compiled-entry.js';
import { bundleWorkflows, startTemporal } from '../temporal.js';
import { bakeryPaper, lanternPaper } from './example-papers.js';
import { ingestLocally } from './local-ingestion.js';
import { startMilvusLite } from '../../../bench/servers/local-server.js';
import { storePorts } from './store-ports.js';
import { atHome } from '../test-home.js';
import { manifestPath, storedFile, storedManifest } from './store-commands.js';

/** A store of two papers in a Milvus of its own, and a worker that checks it. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- what it offers is listed once
export async function startCheckedStore() {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-checked-'));
  const store = storeNameSchema.parse('papers');
  const { entry: thread, remove } = compiledEntry('worker/adapters/pdfium/pdfium-thread.ts');
  const [temporal, milvus] = await Promise.all([startTemporal(), startMilvusLite()]);
  const connected = connectMilvus({ address: milvus.address });
  const vectors: MilvusClient = await connected.client();
  const ports = storePorts(home, connected, thread);
  const environment: Environment = environmentSchema.parse({
    TURNWISE_HOME: home,
  });
  const worker = await Worker.create({
    connection: temporal.nativeConnection,
    taskQueue: 'stores',
    workflowBundle: await bundleWorkflows(),
    activities: createIngestionActivities(ports),
  });
  const working = worker.run();
  const client = atHome(temporal.client, 'stores');

  const fileOf = (name: string): string => join(home, 'stores', store, name);
  const manifest = (): StoreManifest => storedManifest(home, store);
  const inMilvus = (collection: string): string => collectionInMilvus(manifest(), collection);
  const files = { lantern: join(home, 'lantern.pdf'), bakery: join(home, 'bakery.pdf') };

  return {
    home,
    store,
    /** A name that begins as the store's does. */
    otherStore: storeNameSchema.parse('papers__1'),
    ports,
    client,
    environment,
    vectors,
    files,
    fileOf,
    storedFile: (file: StoreFile): string => storedFile(home, store, file),
    manifest,
    inMilvus,
    /** Makes the store, in place of what there is. */
    ingest: async () => {
      rmSync(join(home, 'stores'), { recursive: true, force: true });
      writeFileSync(files.lantern, lanternPaper());
      writeFileSync(files.bakery, bakeryPaper());
      await ingestLocally(ports, store, Object.values(files));
    },
    check: (repair = false): Promise<CheckStoreResult> =>
      checkStore({ client }, environment, store, repair),
    /** Changes the tables, which nobody has open. */
    change: (...statements: readonly string[]) =>
      runSql(storedFile(home, store, 'tables'), statements),
    changeManifest: (change: (manifest: StoreManifest) => unknown): void =>
      writeFileSync(manifestPath(home, store) ?? '', JSON.stringify(change(manifest()))),
    rows: () => rowsIn(storedFile(home, store, 'tables')),
    collections: async (): Promise<readonly string[]> =>
      (await vectors.showCollections()).data.map(({ name }) => name).sort(),
    /** The cells that have vectors. */
    cells: async (collection: string): Promise<readonly string[]> => {
      const { data } = await vectors.query({
        collection_name: inMilvus(collection),
        filter: '',
        limit: 10_000,
        output_fields: ['table_name', 'column_name', 'primary_key'],
      });
      return data
        .map(({ table_name, column_name, primary_key }) =>
          [table_name, column_name, primary_key].map(String).join(' '),
        )
        .sort();
    },
    /** Every file of the store, with its size, time and beginning. */
    footprint: (): readonly string[] =>
      readdirSync(fileOf('.'), { recursive: true, encoding: 'utf8' })
        .sort()
        .map((name) => {
          const { size, mtimeMs } = statSync(fileOf(name));
          return `${name} ${size} ${mtimeMs}`;
        }),
    json: (name: string): unknown => JSON.parse(readFileSync(fileOf(name), 'utf8')),
    stop: async () => {
      worker.shutdown();
      await working;
      await connected.close();
      await Promise.all([milvus.remove(), temporal.teardown()]);
      remove();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
export type CheckedStore = Awaited<ReturnType<typeof startCheckedStore>>;

async function runSql(path: string, statements: readonly string[]): Promise<void> {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  for (const statement of statements) await connection.run(statement);
  connection.closeSync();
  instance.closeSync();
}

type Row = Readonly<Record<string, unknown>>;

async function rowsIn(path: string): Promise<Readonly<Record<string, readonly Row[]>>> {
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  const tables: Record<string, readonly Row[]> = {};
  for (const table of Object.keys(paperTables)) {
    const reader = await connection.runAndReadAll(`SELECT * FROM ${table} ORDER BY ALL`);
    tables[table] = reader.getRowObjectsJson();
  }
  connection.closeSync();
  instance.closeSync();
  return tables;
}
