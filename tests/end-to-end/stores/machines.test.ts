import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { IngestionPorts } from '../../../activities/ingestion/ingestion.js';
import { storeNameSchema } from '../../../domain/ids.js';
import { paperId } from '../../../domain/stores/paper-rows.js';
import { storeFolder } from '../../../domain/stores/store-manifest.js';
import type { ObjectStorage } from '../../../storage/objects.js';
import type { StorePlace } from '../../../storage/stores/store-place.js';
import { createDuckdbTables } from '../../../worker/adapters/duckdb/tables.js';
import { connectMilvus, type Milvus } from '../../../worker/adapters/milvus/client.js';
import { createMilvusSearch } from '../../../worker/adapters/milvus/search.js';
import { compiledEntry } from '../../support/commands/compiled-entry.js';
import { afar, placeIn } from '../../support/storage/afar.js';
import { bakeryPaper, lanternPaper } from '../../support/stores/example-papers.js';
import { ingestLocally } from '../../support/stores/local-ingestion.js';
import { startMilvusLite, type TestMilvus } from '../../../bench/servers/local-server.js';
import { storePorts, testEmbedders } from '../../support/stores/store-ports.js';

// Two machines that share a storage and a Milvus server, and no folder: one ingests, the other is asked.

const folder = mkdtempSync(join(tmpdir(), 'turnwise-machines-'));
const store = storeNameSchema.parse('papers');
const never = new AbortController().signal;
const { entry: thread, remove } = compiledEntry('worker/adapters/pdfium/pdfium-thread.ts');
const { entry, remove: removeEntry } = compiledEntry('worker/adapters/duckdb/query-process.ts');
const storage: ObjectStorage = afar(join(folder, 'bucket'));
const inUse = new Set<string>();

interface Machine {
  readonly home: string;
  readonly place: StorePlace;
  readonly ports: IngestionPorts;
  readonly ask: (fingerprint?: string) => Promise<unknown>;
  readonly found: (fingerprint?: string) => Promise<readonly string[]>;
  readonly close: () => void;
}

let milvus: TestMilvus;
let connected: Milvus;
let here: Machine;
let there: Machine;

function machine(name: string): Machine {
  const home = join(folder, name);
  const place = placeIn(storage, home);
  const tables = createDuckdbTables({ ...place, entry, processes: 1 });
  const search = createMilvusSearch({ milvus: connected, embedders: testEmbedders, ...place });
  return {
    ...{ home, place, close: tables.close },
    ports: storePorts(home, connected, thread, null, { ...place, inUse }),
    ask: async (fingerprint) => {
      const outcome = await tables.query(
        {
          database: { kind: 'store', name: store, fingerprint },
          sql: 'SELECT title FROM metadata ORDER BY title',
          ...{ maxRows: 9, timeoutMs: 60_000 },
        },
        never,
      );
      return outcome.kind === 'rows' ? outcome.result.rows.flat() : outcome;
    },
    found: async (fingerprint) => {
      const outcome = await search.search(
        {
          ...{ store, collection: 'text_bm25_en', query: 'ovens in bakeries', filter: '' },
          ...{ limit: 50, timeoutMs: 60_000, ...(fingerprint && { fingerprint }) },
        },
        never,
      );
      if (outcome.kind !== 'hits') throw new Error(JSON.stringify(outcome));
      return [...new Set(outcome.hits.map(({ pdfId }) => pdfId))];
    },
  };
}

const bakery = 'Scheduling Ovens in Small Bakeries';

beforeAll(async () => {
  milvus = await startMilvusLite();
  connected = connectMilvus({ address: milvus.address });
  [here, there] = [machine('here'), machine('there')];
});
afterAll(async () => {
  for (const each of [here, there]) each.close();
  await connected.close();
  await milvus.remove();
  remove();
  removeEntry();
  rmSync(folder, { recursive: true, force: true });
});

/** Ingests on the first machine a PDF that no other machine can read, and that is gone afterwards. */
async function ingest(name: string, content: Uint8Array): Promise<void> {
  const pdf = join(folder, name);
  writeFileSync(pdf, content);
  await ingestLocally(here.ports, store, [pdf]);
  rmSync(pdf);
}

let first = '';

it('a machine answers over what another one has ingested', async () => {
  await ingest('lantern.pdf', lanternPaper());
  const manifest = await there.place.generations.holding({ store });
  first = manifest.fingerprint;
  const [paper] = manifest.papers;
  expect(await there.ask(first)).toEqual([paper?.title]);
  const picture = await there.ports.pictures.ofPage(
    {
      store,
      fingerprint: first,
      paperId: paper?.paperId ?? '',
      page: 1,
      box: [],
      timeoutMs: 60_000,
    },
    never,
  );
  expect(picture).toMatchObject({ kind: 'picture' });
});

it('whoever began with a generation keeps it while papers are added', async () => {
  inUse.add(first);
  await ingest('bakery.pdf', bakeryPaper());
  const added = paperId(bakery);
  for (const each of [here, there]) {
    expect(await each.ask(first)).toHaveLength(1);
    expect(await each.ask()).toHaveLength(2);
    expect(await each.found(first)).not.toContain(added);
    expect(await each.found()).toContain(added);
  }
  expect(await storage.list(`${storeFolder(store)}/generations`)).toHaveLength(2);
});

it('a damaged copy is fetched again', async () => {
  const { generations } = there.place;
  const manifest = await generations.holding({ store });
  writeFileSync(await generations.file(manifest, 'tables'), 'no database');
  expect(await there.ask()).toContain(bakery);
});

it('a generation that nothing uses any more is removed with its collections', async () => {
  inUse.clear();
  const before = await here.ports.collections.list(await here.place.generations.holding({ store }));
  await ingest('bakery-again.pdf', bakeryPaper());
  const kept = await here.ports.contents.kept(store);
  const { manifests, files } = await here.ports.contents.superseded(store, kept);
  expect([kept.length, manifests, files]).toEqual([1, [], []]);
  const left = await here.ports.collections.list(await here.place.generations.holding({ store }));
  expect([before.length, left.length]).toEqual([4, 2]);
});
