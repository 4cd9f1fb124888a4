import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IngestionPorts } from '../../../activities/ingestion/ingestion.js';
import type { SearchPort } from '../../../activities/ports/tools.js';
import { listStores } from '../../../client/runs/stores/store-files.js';
import type { SearchHit } from '../../../domain/agent/observations/vector-search.js';
import { storeNameSchema, type StoreName } from '../../../domain/ids.js';
import type { ConflictPolicy } from '../../../domain/stores/add-papers.js';
import { contentPaperId, paperId } from '../../../domain/stores/paper-rows.js';
import { collectionInMilvus } from '../../../domain/stores/store-manifest.js';
import { connectMilvus, type Milvus } from '../../../worker/adapters/milvus/client.js';
import { createMilvusSearch } from '../../../worker/adapters/milvus/search.js';
import { compiledEntry } from '../../support/commands/compiled-entry.js';
import { bakeryPaper, lanternPaper } from '../../support/stores/example-papers.js';
import { ingestLocally } from '../../support/stores/local-ingestion.js';
import { makePdf, type PdfText } from '../../support/stores/make-pdf.js';
import { startMilvusLite, type TestMilvus } from '../../../bench/servers/local-server.js';
import { readRows } from '../../support/stores/read-rows.js';
import { storePorts, testEmbedders } from '../../support/stores/store-ports.js';
import { storedFile, storedManifest } from '../../support/stores/store-commands.js';
import { placeAt, placeOf } from '../../support/stores/place-at.js';

const home = mkdtempSync(join(tmpdir(), 'turnwise-papers-'));
const { entry: thread, remove } = compiledEntry('worker/adapters/pdfium/pdfium-thread.ts');
const never = new AbortController().signal;

let milvus: TestMilvus;
let connected: Milvus;
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

const rows = (store: StoreName, sql: string) => readRows(storedFile(home, store, 'tables'), sql);

async function hitsIn(
  store: StoreName,
  collection: string,
  query: string,
  limit: number,
  filter = "table_name == 'pages' and column_name == 'page_content'",
): Promise<readonly SearchHit[]> {
  const request = { store, collection, query, limit, filter, timeoutMs: 20_000 };
  const outcome = await search.search(request, never);
  if (outcome.kind !== 'hits') throw new Error(JSON.stringify(outcome));
  return outcome.hits;
}

describe('PDFs with one title in a store', () => {
  const lantern = fileOf('lantern.pdf', lanternPaper());
  const bakery = fileOf('bakery.pdf', bakeryPaper());
  const second = fileOf('lantern-v2.pdf', Buffer.concat([lanternPaper(), Buffer.from('% 2\n')]));
  const title = paperId('Lantern: Counting Fireflies with Cheap Cameras');

  async function after(
    name: string,
    onConflict: ConflictPolicy,
  ): Promise<{
    readonly store: StoreName;
    readonly result: object;
    readonly papers: readonly { readonly file: string; readonly paperId: string }[];
  }> {
    const store = storeNameSchema.parse(name);
    await ingestLocally(ports, store, [lantern, bakery]);
    const result = await ingestLocally(ports, store, [second], { onConflict });
    return { store, result, papers: storedManifest(home, store).papers };
  }
  const ids = (papers: readonly { readonly file: string; readonly paperId: string }[]) =>
    Object.fromEntries(papers.map(({ file, paperId: id }) => [file, id]));

  it('are two papers, of which the later one has its content in its id, in tables and collections', async () => {
    const { store, result, papers } = await after('both', 'keep-both');
    expect(result).toEqual({ ingested: [second], unchanged: [], failed: [] });
    const sha256 = await ports.paperFiles.fingerprint(second);
    const own = contentPaperId({ paperId: title, sha256 });
    expect(papers).toHaveLength(3);
    expect(ids(papers)).toMatchObject({ 'lantern.pdf': title, 'lantern-v2.pdf': own });
    expect(
      await rows(store, 'SELECT paper_id AS id, pdf_path AS file FROM metadata ORDER BY file'),
    ).toEqual([
      { id: ids(papers)['bakery.pdf'], file: 'bakery.pdf' },
      { id: own, file: 'lantern-v2.pdf' },
      { id: title, file: 'lantern.pdf' },
    ]);
    const hits = await hitsIn(store, 'text_bm25_en', 'fireflies in the wet meadow', 5, '');
    expect(new Set(hits.map(({ pdfId }) => pdfId))).toEqual(new Set([title, own]));
    expect(await ingestLocally(ports, store, [second, lantern])).toEqual({
      ingested: [],
      unchanged: [second, lantern],
      failed: [],
    });
  });

  it('are the same two papers for every order of the files', async () => {
    const ofOrder = async (name: string, files: readonly string[]) => {
      const store = storeNameSchema.parse(name);
      await ingestLocally(ports, store, files);
      return storedManifest(home, store).papers;
    };
    const papers = await ofOrder('order', [lantern, second]);
    expect(await ofOrder('reverse', [second, lantern])).toEqual(papers);
  });

  it('are the first one alone by the policy ignore', async () => {
    const { result, papers } = await after('first', 'ignore');
    expect(result).toEqual({ ingested: [], unchanged: [second], failed: [] });
    expect(Object.keys(ids(papers)).sort()).toEqual(['bakery.pdf', 'lantern.pdf']);
  });

  it('are the new one alone by the policy replace', async () => {
    const { store, result, papers } = await after('new', 'replace');
    expect(result).toEqual({ ingested: [second], unchanged: [], failed: [] });
    expect(papers.map(({ file }) => file)).toContain('lantern-v2.pdf');
    expect(ids(papers)).toMatchObject({ 'lantern-v2.pdf': title });
    expect(await rows(store, 'SELECT count(*)::INTEGER AS papers FROM metadata')).toEqual([
      { papers: 2 },
    ]);
  });

  it('change nothing by the policy raise', async () => {
    await expect(after('none', 'raise')).rejects.toMatchObject({
      type: 'TitleConflict',
      message: expect.stringContaining(
        "lantern-v2.pdf has the title of lantern.pdf ('Lantern: Counting",
      ) as unknown,
    });
    const store = storeNameSchema.parse('none');
    expect(storedManifest(home, store)).toMatchObject({ generation: 1, papers: [{}, {}] });
    const fresh = storeNameSchema.parse('nowhere');
    await expect(
      ingestLocally(ports, fresh, [second, lantern], { onConflict: 'raise' }),
    ).rejects.toMatchObject({ type: 'TitleConflict' });
    expect((await listStores(placeOf(home))).map(({ name }) => name)).not.toContain(fresh);
  });
});

describe('a long page', () => {
  const store = storeNameSchema.parse('long');
  const collection = 'text_hashing_384';
  const animals = ['hens', 'foxes', 'moths', 'toads', 'newts', 'bats', 'owls', 'voles'];
  /** Some 400 words a page, the same but for one animal, and one sentence in the last line. */
  const pageOf = (animal: string, last: string): readonly PdfText[] =>
    [
      ...Array.from(
        { length: 44 },
        (_, line) => `Line ${line} says that ${animal} eat grain and sleep in barns at night.`,
      ),
      last,
    ].map((text, line) => ({ text, y: 770 - line * 16 }));
  const file = fileOf(
    'long.pdf',
    makePdf({
      title: 'Animals of the Farm',
      pages: animals.map((animal, index) =>
        pageOf(
          animal,
          index === 2 ? 'Quartz lamps attract moonlit fireflies.' : 'That is all of it.',
        ),
      ),
    }),
  );

  beforeAll(() => ingestLocally(ports, store, [file]));

  it('has a vector for every part of it, each naming the page', async () => {
    const client = await connected.client();
    const { data } = await client.query({
      collection_name: collectionInMilvus(storedManifest(home, store), collection),
      filter: "table_name == 'pages'",
      limit: 1_000,
      output_fields: ['primary_key', 'page_number'],
    });
    const keys = data.map(({ primary_key }) => String(primary_key));
    expect(new Set(keys).size).toBe(animals.length);
    expect(keys.length).toBeGreaterThanOrEqual(3 * animals.length);
  });

  it('is found by its last sentence', async () => {
    const query = 'Quartz lamps attract moonlit fireflies.';
    const [hit] = await hitsIn(store, collection, query, 1);
    expect(hit).toMatchObject({ pageNumber: 3, tableName: 'pages', columnName: 'page_content' });
  });

  it('is one hit of several, with the score of its best part', async () => {
    const hits = await hitsIn(store, collection, 'foxes eat grain and sleep in barns', 5);
    expect(new Set(hits.map(({ primaryKey }) => primaryKey)).size).toBe(5);
    expect(hits[0]).toMatchObject({ pageNumber: 2 });
    const scores = hits.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  it('is found once, however many hits are asked for', async () => {
    const hits = await hitsIn(store, collection, 'grain in barns', 100);
    expect(hits.map(({ pageNumber }) => pageNumber).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });
});
