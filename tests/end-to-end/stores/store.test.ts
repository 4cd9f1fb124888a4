import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MilvusClient } from '@zilliz/milvus2-sdk-node';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { IngestionPorts } from '../../../activities/ingestion/ingestion.js';
import type { SearchPort, SearchRequest } from '../../../activities/ports/tools.js';
import { listStores } from '../../../client/runs/stores/store-files.js';
import { storeNameSchema } from '../../../domain/ids.js';
import { paperId } from '../../../domain/stores/paper-rows.js';
import { collectionInMilvus } from '../../../domain/stores/store-manifest.js';
import { connectMilvus, type Milvus } from '../../../worker/adapters/milvus/client.js';
import { createMilvusSearch } from '../../../worker/adapters/milvus/search.js';
import { compiledEntry } from '../../support/commands/compiled-entry.js';
import { bakeryPaper, lanternPaper } from '../../support/stores/example-papers.js';
import { ingestLocally } from '../../support/stores/local-ingestion.js';
import { readRows } from '../../support/stores/read-rows.js';
import { storePorts, testEmbedders } from '../../support/stores/store-ports.js';
import { startMilvusLite, type TestMilvus } from '../../../bench/servers/local-server.js';
import { storedFile, storedManifest } from '../../support/stores/store-commands.js';
import { placeAt, placeOf } from '../../support/stores/place-at.js';

const home = mkdtempSync(join(tmpdir(), 'turnwise-store-'));
const store = storeNameSchema.parse('papers');
const never = new AbortController().signal;
const { entry: thread, remove } = compiledEntry('worker/adapters/pdfium/pdfium-thread.ts');
const lantern = fileOf('lantern.pdf', lanternPaper());
const bakery = fileOf('bakery.pdf', bakeryPaper());

let milvus: TestMilvus;
let connected: Milvus;
/** The one that is in use: an outage makes it anew. */
const client = (): Promise<MilvusClient> => connected.client();
let ports: IngestionPorts;
let search: SearchPort;

beforeAll(async () => {
  milvus = await startMilvusLite();
  connected = connectMilvus({ address: milvus.address });
  ports = storePorts(home, connected, thread);
  search = createMilvusSearch({ milvus: connected, embedders: testEmbedders, ...placeAt(home) });
});
afterAll(async () => {
  await connected.close();
  await milvus.remove();
  remove();
  rmSync(home, { recursive: true, force: true });
});

function fileOf(name: string, content: Uint8Array): string {
  const path = join(home, name);
  writeFileSync(path, content);
  return path;
}

const request = (changes: Partial<SearchRequest>): SearchRequest => ({
  store,
  collection: 'text_bm25_en',
  query: 'fireflies counted in the wet meadow',
  filter: '',
  limit: 3,
  timeoutMs: 20_000,
  ...changes,
});

const rows = (sql: string) => readRows(storedFile(home, store, 'tables'), sql);

async function entriesOf(
  collection: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { data } = await (
    await client()
  ).query({
    collection_name: collectionInMilvus(storedManifest(home, store), collection),
    filter: '',
    limit: 10_000,
    output_fields: ['pdf_id', 'page_number', 'table_name', 'column_name', 'primary_key'],
  });
  return data;
}

const collectionsInMilvus = async (): Promise<readonly string[]> =>
  (await (await client()).showCollections()).data.map(({ name }) => name).sort();

/** The tests of this file go on from one another, as ingestions into one store do. */
describe('a store', () => {
  it('does not exist before the first ingestion', async () => {
    await expect(search.search(request({}), never)).rejects.toMatchObject({ type: 'StoreMissing' });
    expect(await listStores(placeOf(home))).toEqual([]);
  });

  it('stays untouched when no PDF can be read', async () => {
    const result = await ingestLocally(ports, store, [join(home, 'absent.pdf')]);
    expect(result).toMatchObject({ ingested: [], failed: [{ file: join(home, 'absent.pdf') }] });
    expect(await listStores(placeOf(home))).toEqual([]);
    expect(await collectionsInMilvus()).toEqual([]);
  });

  it('holds the papers of an ingestion', async () => {
    const result = await ingestLocally(ports, store, [lantern]);
    expect(result).toEqual({ ingested: [lantern], unchanged: [], failed: [] });
    const manifest = storedManifest(home, store);
    expect(manifest).toMatchObject({
      generation: 1,
      papers: [{ title: 'Lantern: Counting Fireflies with Cheap Cameras', pages: 2 }],
    });
    expect(manifest.collections.map(({ name }) => name)).toEqual([
      'text_bm25_en',
      'text_hashing_384',
    ]);
  });

  it.each(['text_bm25_en', 'text_hashing_384'])('finds a passage in %s', async (collection) => {
    const filter = "table_name == 'chunks' and column_name == 'text_content'";
    const query = 'nine dollars for a camera on a pole of two metres';
    const outcome = await search.search(request({ collection, filter, query, limit: 1 }), never);
    expect(outcome).toMatchObject({
      kind: 'hits',
      hits: [
        {
          pdfId: paperId('Lantern: Counting Fireflies with Cheap Cameras'),
          pageNumber: 1,
          tableName: 'chunks',
          columnName: 'text_content',
        },
      ],
    });
  });

  it('cannot be searched while Milvus is paused, and can when it goes on', async () => {
    const other = connectMilvus({ address: milvus.address, timeoutMs: 1_000 });
    const waiting = createMilvusSearch({
      ...{ milvus: other, embedders: testEmbedders },
      ...placeAt(home),
    });
    milvus.signal('SIGSTOP');
    for (const timeoutMs of [1_000, 1_000]) {
      const failure = waiting.search(request({ timeoutMs }), never);
      await expect(failure).rejects.toMatchObject({ type: 'StoreUnavailable' });
    }
    milvus.signal('SIGCONT');
    await expect
      .poll(() => waiting.search(request({}), never).catch(() => null), { timeout: 20_000 })
      .toMatchObject({ kind: 'hits' });
    await other.close();
  });

  it('finds nothing by words that no paper holds', async () => {
    expect(await search.search(request({ query: 'zygomorphic quasar' }), never)).toEqual({
      kind: 'hits',
      hits: [],
    });
  });

  it.each([
    ['a field that does not exist', { filter: "paper_id == 'x'" }, 'paper_id'],
    ['a filter that is no expression', { filter: 'pdf_id ===' }, '='],
    ['a collection that does not exist', { collection: 'text_other' }, 'text_bm25_en'],
  ])('answers %s with an error the model can act on', async (_, changes, hint) => {
    expect(await search.search(request(changes), never)).toMatchObject({
      kind: 'search-error',
      message: expect.stringContaining(hint) as unknown,
    });
  });

  it.each([
    ['a condition that entries meet', 'page_number >= 1', { kind: 'valid' }],
    ['a condition that none meets', "pdf_id == 'nobody'", { kind: 'valid' }],
    ['several conditions', "not (page_number in [1, 2]) or pdf_id != 'x'", { kind: 'valid' }],
    ['a field that does not exist', "paper_id == 'x'", { kind: 'search-error' }],
    ['what is no expression', 'page_number ===', { kind: 'search-error' }],
    ['what would break out of its place', '1 == 1) or (1 == 1', { kind: 'search-error' }],
  ])('tries %s as a filter', async (_, filter, expected) => {
    const place = { store, collection: 'text_bm25_en', timeoutMs: 20_000 };
    expect(await search.tryFilter({ ...place, filter }, never)).toMatchObject(expected);
  });

  it('tries a filter once that it takes', async () => {
    const query = vi.spyOn(await client(), 'query');
    const place = { store, collection: 'text_bm25_en', timeoutMs: 20_000 };
    for (const filter of ['page_number > 1', 'page_number > 1', 'page >', 'page >']) {
      await search.tryFilter({ ...place, filter }, never);
    }
    expect(query).toHaveBeenCalledTimes(3);
    query.mockRestore();
  });

  it.each([0, -1, 100_000])('answers a limit of %d with an error', async (limit) => {
    expect(await search.search(request({ limit }), never)).toMatchObject({ kind: 'search-error' });
  });

  it('does not change when the same PDFs come again', async () => {
    const before = storedManifest(home, store);
    const copy = fileOf('copy-of-lantern.pdf', lanternPaper());
    expect(await ingestLocally(ports, store, [lantern, copy])).toEqual({
      ingested: [],
      unchanged: [lantern, copy],
      failed: [],
    });
    expect(storedManifest(home, store)).toEqual(before);
  });

  it.each(['tables', 'collections'] as const)(
    'answers as before when an ingestion was cut off behind its %s',
    async (until) => {
      const before = await search.search(request({}), never);
      await ingestLocally(ports, store, [bakery], { until });
      expect(storedManifest(home, store).generation).toBe(1);
      expect(await search.search(request({}), never)).toEqual(before);
    },
  );

  it('grows by a generation with new papers, and leaves nothing of the one before', async () => {
    const result = await ingestLocally(ports, store, [bakery, lantern]);
    expect(result).toEqual({ ingested: [bakery], unchanged: [lantern], failed: [] });
    const manifest = storedManifest(home, store);
    expect(manifest).toMatchObject({ generation: 2, papers: [{}, {}] });
    expect(await collectionsInMilvus()).toEqual(
      manifest.collections.map(({ name }) => collectionInMilvus(manifest, name)).sort(),
    );
    expect(readdirSync(join(home, 'stores', store)).sort()).toEqual([
      'files',
      'generations',
      'papers',
    ]);
    expect(readdirSync(join(home, 'stores', store, 'generations'))).toEqual([
      `2-${manifest.key}.json`,
    ]);
    expect(readdirSync(join(home, 'stores', store, 'files'))).toHaveLength(2);
  });

  it('is searched in its new generation by a worker that had opened the old one', async () => {
    const outcome = await search.search(request({ query: 'ovens in bakeries' }), never);
    expect(outcome).toMatchObject({
      kind: 'hits',
      hits: [{ pdfId: paperId('Scheduling Ovens in Small Bakeries') }, {}, {}],
    });
  });

  it('has a row in its tables for every entry of its collections, and an entry for every text', async () => {
    const manifest = storedManifest(home, store);
    for (const { name, rows: expected } of manifest.collections) {
      const entries = await entriesOf(name);
      expect(entries).toHaveLength(expected);
      for (const entry of entries) {
        const { table_name, column_name, primary_key, pdf_id, page_number } = entry;
        const [key, paper] =
          table_name === 'metadata'
            ? ['paper_id', 'paper_id']
            : [`${String(table_name).replace(/s$/, '')}_id`, 'ref_paper_id'];
        const page = ['chunks', 'pages'].includes(String(table_name))
          ? `(SELECT page_number FROM pages p WHERE p.page_id = t.${table_name === 'pages' ? 'page_id' : 'ref_page_id'})`
          : '-1';
        const found = await rows(
          `SELECT ${String(column_name)} AS text, ${page} AS page FROM ${String(table_name)} t WHERE ${key} = '${String(primary_key)}' AND ${paper} = '${String(pdf_id)}'`,
        );
        expect(found).toEqual([
          { text: expect.stringMatching(/\S/) as unknown, page: page_number },
        ]);
      }
    }
    const [{ texts } = {}] = await rows(`
      SELECT (SELECT count(title) + count(abstract) FROM metadata) + (SELECT count(*) FROM pages WHERE page_content <> '')
        + (SELECT count(*) FROM chunks) + (SELECT count(*) + count(*) FILTER (section_content <> '') FROM sections) AS texts`);
    expect(manifest.collections.map((collection) => collection.rows)).toEqual([
      Number(texts),
      Number(texts),
    ]);
  });

  it('is searched again after Milvus was killed and started', async () => {
    const before = await search.search(request({}), never);
    for (const collection of ['text_bm25_en', 'text_hashing_384']) {
      await milvus.kill();
      await expect(search.search(request({ collection }), never)).rejects.toMatchObject({
        name: 'PortFailure',
        type: 'StoreUnavailable',
      });
      await milvus.start();
      const outcome = await untilAvailable(() => search.search(request({ collection }), never));
      expect(outcome).toMatchObject({ kind: 'hits', hits: [{}, {}, {}] });
    }
    expect(await search.search(request({}), never)).toEqual(before);
  });

  it('is built anew by the next ingestion when its collections are lost', async () => {
    for (const collection_name of await collectionsInMilvus()) {
      await (await client()).dropCollection({ collection_name });
    }
    await expect(search.search(request({}), never)).rejects.toMatchObject({
      type: 'StoreUnavailable',
      message: expect.stringContaining('store check') as unknown,
    });
    const result = await ingestLocally(ports, store, [lantern]);
    expect(result).toEqual({ ingested: [], unchanged: [lantern], failed: [] });
    expect(storedManifest(home, store).generation).toBe(3);
    expect(await search.search(request({}), never)).toMatchObject({
      kind: 'hits',
      hits: [{}, {}, {}],
    });
  });

  it('leaves the collections of stores with similar names alone', async () => {
    const other = storeNameSchema.parse('papers__3');
    await ingestLocally(ports, other, [bakery]);
    await ports.collections.dropOthers([storedManifest(home, store)]);
    expect(await ports.collections.exist(storedManifest(home, other))).toBe(true);
    expect(existsSync(storedFile(home, other, 'tables'))).toBe(true);
  });

  it('shares a Milvus with a store of its name in another home', async () => {
    const before = await search.search(request({}), never);
    const elsewhere = join(home, 'elsewhere');
    const theirs = storePorts(elsewhere, connected, thread);
    for (const file of [bakery, lantern]) await ingestLocally(theirs, store, [file]);
    expect(storedManifest(elsewhere, store).generation).toBe(2);
    expect(await ports.collections.exist(storedManifest(elsewhere, store))).toBe(true);
    expect(await search.search(request({}), never)).toEqual(before);
    await ports.collections.dropOthers([storedManifest(home, store)]);
    expect(await ports.collections.exist(storedManifest(elsewhere, store))).toBe(true);
  });
});

/** As the caller's retry policy does: again until Milvus takes connections. */
async function untilAvailable<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Error && 'type' in error && error.type === 'StoreUnavailable'))
        throw error;
    }
  }
}
