import { DuckDBInstance } from '@duckdb/node-api';
import { observe } from '../activities/questions/take-action.js';
import { anyValueOfJson, type Action } from '../domain/agent/actions/action.js';
import { defaultRunConfig } from '../domain/runs/run-config.js';
import { percentile } from '../domain/statistics/means.js';
import { collectionInMilvus } from '../domain/stores/store-manifest.js';
import { openStorePlace } from '../storage/stores/store-place.js';
import { createDuckdbTables } from '../worker/adapters/duckdb/tables.js';
import { createPaperFiles } from '../worker/adapters/files/paper-files.js';
import { createOpenedStores } from '../worker/adapters/files/stores.js';
import { createCommandGraph } from '../worker/adapters/graph/command-graph.js';
import { connectMilvus } from '../worker/adapters/milvus/client.js';
import { createMilvusSearch } from '../worker/adapters/milvus/search.js';
import { createPdfiumPictures } from '../worker/adapters/pdfium/pictures.js';
import { measurementFindings, type Benchmark, type Measurement } from './benchmark.js';
import { localEmbedders, withExampleStore, type ExampleStore } from './example-store.js';

export const toolsBenchmark: Benchmark = {
  summary:
    'SQL and retrieval actions over the example store, compared with direct calls of DuckDB and Milvus',
  run: async (log) => measurementFindings(await withExampleStore(log, measureTools)),
};

const rounds = 200;
const sqlLimitMs = 10;
const retrievalLimitMs = 30;

const statements = [
  'SELECT title, num_pages FROM metadata ORDER BY title',
  "SELECT p.page_number, c.text_content FROM chunks c JOIN pages p ON c.ref_page_id = p.page_id WHERE c.text_content ILIKE '%limit%' LIMIT 5",
  'SELECT section_title, page_numbers FROM sections ORDER BY ordinal LIMIT 8',
  'SELECT count(*) AS chunks, avg(length(text_content)) AS length FROM chunks',
];
const queries = [
  'what does a crash cost',
  'how many questions are enough',
  'rate limit found by the controller',
  'rows of eight tables',
];
const nth = <T>(items: readonly T[], round: number): T => items[round % items.length] as T; // the lists above are not empty

async function measureTools(store: ExampleStore): Promise<readonly Measurement[]> {
  const { environment, milvusAddress, manifest } = store;
  const { storage, copies, generations, imported } = openStorePlace(environment);
  const embedders = localEmbedders();
  const milvus = connectMilvus({ address: milvusAddress });
  const client = await milvus.client();
  const tables = createDuckdbTables({ generations, imported });
  const ports = {
    tables,
    graph: createCommandGraph({ command: undefined, secrets: [] }),
    search: createMilvusSearch({ milvus, embedders, generations }),
    pictures: createPdfiumPictures({
      generations,
      pdf: createPaperFiles(storage, copies).pdf,
    }),
  };
  const database = await generations.file(manifest, 'tables');
  const instance = await DuckDBInstance.create(database, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  const signal = new AbortController().signal;
  const { bm25 } = await createOpenedStores(generations)({ store: manifest.name });
  const run = { config: defaultRunConfig, store: manifest };
  const act = (action: Action): Promise<unknown> => observe(ports, run, action, '', signal);

  try {
    return await measure(
      [
        {
          name: 'RetrieveFromDatabase',
          limitMs: sqlLimitMs,
          call: (round) => act({ kind: 'RetrieveFromDatabase', sql: nth(statements, round) }),
        },
        {
          name: 'DuckDB client alone',
          limitMs: null,
          call: (round) => connection.runAndReadAll(nth(statements, round)),
        },
        ...(await Promise.all(manifest.collections.map(retrieval))).flat(),
      ],
      rounds,
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
    tables.close();
    await milvus.close();
  }

  async function retrieval(
    collection: (typeof manifest.collections)[number],
  ): Promise<readonly Subject[]> {
    const vectors =
      collection.vector.kind === 'dense'
        ? (await embedders(collection.embedder).embed(queries, signal)).map((vector) => [...vector])
        : queries.map((query) => Object.fromEntries(bm25.query(query)));
    const limit = 5;
    const [table_name, column_name] = ['chunks', 'text_content'];
    return [
      {
        name: `RetrieveFromVectorstore ${collection.name}`,
        limitMs: retrievalLimitMs,
        call: (round) =>
          act({
            kind: 'RetrieveFromVectorstore',
            query: nth(queries, round),
            collection_name: collection.name,
            table_name,
            column_name,
            filter: 'page_number > 0',
            limit: anyValueOfJson(limit),
          }),
      },
      {
        name: `Milvus client alone, ${collection.name}`,
        limitMs: null,
        call: (round) =>
          client.search({
            collection_name: collectionInMilvus(manifest, collection.name),
            data: nth<number[] | Record<number, number>>(vectors, round),
            limit,
            filter: `table_name == '${table_name}' and column_name == '${column_name}'`,
            metric_type: collection.metric,
            output_fields: ['pdf_id', 'page_number', 'table_name', 'column_name', 'primary_key'],
          }),
      },
    ];
  }
}

/** A call to measure. `round` counts from 0, so that the call can differ from round to round. */
interface Subject extends Pick<Measurement, 'name' | 'limitMs'> {
  readonly call: (round: number) => Promise<unknown>;
}

/**
 * Calls all subjects in turn, round after round, so that other load on the machine affects them equally.
 * The first tenth of the rounds is not counted.
 */
export async function measure(
  subjects: readonly Subject[],
  rounds: number,
): Promise<readonly Measurement[]> {
  const times = subjects.map((): number[] => []);
  const unmeasured = Math.ceil(rounds / 10);
  for (let round = 0; round < rounds + unmeasured; round += 1) {
    for (const [index, { call }] of subjects.entries()) {
      const start = performance.now();
      await call(round);
      if (round >= unmeasured) times[index]?.push(performance.now() - start);
    }
  }
  return subjects.map(({ name, limitMs }, index) => {
    const all = times[index] ?? [];
    return {
      name,
      limitMs,
      calls: all.length,
      p50: hundredths(percentile(all, 50)),
      p95: hundredths(percentile(all, 95)),
    };
  });
}

const hundredths = (ms: number): number => Math.round(ms * 100) / 100;
