import { describe, expect, it } from 'vitest';
import { createBuildCollections } from '../../../activities/ingestion/build-collections.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { CollectionsPort, Entry } from '../../../activities/ports/stores.js';
import { storeNameSchema } from '../../../domain/ids.js';
import { newCorpus } from '../../../domain/stores/bm25.js';
import type { EncodableCell } from '../../../domain/stores/database-schema.js';
import { hashingName } from '../../../domain/embedders.js';
import { bm25Collection, type StoreManifest } from '../../../domain/stores/store-manifest.js';
import { runActivity } from '../../support/run-activity.js';
import { testEmbedders } from '../../support/stores/store-ports.js';

const store = storeNameSchema.parse('ovens');
const embedder = testEmbedders(hashingName);

const cell = (text: string): EncodableCell => ({
  table: 'oven',
  column: 'note',
  primaryKey: text,
  pageNumber: 0,
  text,
});

/** A draft of a database whose cells are read in batches of one, and collections that take in what `insert` allows. */
function draftOf(texts: readonly string[], insert: CollectionsPort['insert']) {
  const read: string[] = [];
  const corpus = newCorpus();
  texts.forEach(corpus.add);
  const collections = {
    create: () => Promise.resolve(),
    insert,
    finish: () => Promise.resolve(),
  } satisfies Partial<CollectionsPort>;
  const database = { searched: [] };
  const draft = { name: store, papers: [], database, collections: [], files: {} };
  const ports = {
    collections,
    contents: { bm25: () => Promise.resolve(corpus.fit()) },
    embedders: testEmbedders,
    pictureEmbedder: null,
    storedDatabases: {
      cells: async function* () {
        for (const text of texts) {
          read.push(text);
          yield await Promise.resolve([cell(text)]);
        }
      },
    },
    storeWriter: {
      manifest: () => Promise.resolve(null),
      draft: () => Promise.resolve(draft as unknown as StoreManifest),
      writeDraft: () => Promise.resolve(),
    },
  };
  const build = createBuildCollections(ports as never);
  return { read, build: () => runActivity(build, { store, embedder: hashingName }) };
}

const primaryKeys = (entries: readonly Entry[]): readonly string[] =>
  entries.map((entry) => entry.cell.primaryKey);

describe('the collections of a store', () => {
  it('hold each cell once, in order', async () => {
    const inserted = new Map<string, string[]>();
    const { build } = draftOf(['clay oven', 'steel oven', 'stone'], (_, collection, entries) => {
      inserted.set(collection, [...(inserted.get(collection) ?? []), ...primaryKeys(entries)]);
      return Promise.resolve();
    });
    expect(await build()).toEqual({ rows: 6 });
    const all = ['clay oven', 'steel oven', 'stone'];
    expect(Object.fromEntries(inserted)).toEqual({
      [bm25Collection.name]: all,
      [embedder.collection]: all,
    });
  });

  it('are encoded while the cells before are inserted, and no further ahead', async () => {
    const open: (() => void)[] = [];
    const { read, build } = draftOf(
      ['clay', 'steel', 'stone', 'sand'],
      () => new Promise((resolve) => open.push(resolve)),
    );
    let rows = 0;
    const building = build().then((built) => {
      rows = built.rows;
    });
    await expect.poll(() => read).toEqual(['clay', 'steel']);
    expect(open).toHaveLength(2);
    await expect
      .poll(() => {
        open.splice(0).forEach((resolve) => {
          resolve();
        });
        return rows;
      })
      .toBe(8);
    await building;
  });

  it('are given up only when no insert is under way, since the next attempt makes them anew', async () => {
    const open: (() => void)[] = [];
    const { read, build } = draftOf(['clay', 'steel'], (_, collection) =>
      collection === bm25Collection.name
        ? Promise.reject(new PortFailure('StoreUnavailable', 'Milvus is away'))
        : new Promise((resolve) => open.push(resolve)),
    );
    let isOver = false;
    const building = build().finally(() => {
      isOver = true;
    });
    const failing = expect(building).rejects.toThrow('Milvus is away');
    await expect.poll(() => read.length).toBe(2);
    expect(isOver).toBe(false);
    open.forEach((resolve) => {
      resolve();
    });
    await failing;
  });
});
