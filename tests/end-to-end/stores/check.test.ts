import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { paperId } from '../../../domain/stores/paper-rows.js';
import type { Finding } from '../../../domain/stores/store-check.js';
import { bm25Collection } from '../../../domain/stores/store-manifest.js';
import { createDuckdbTables } from '../../../worker/adapters/duckdb/tables.js';
import { compiledEntry } from '../../support/commands/compiled-entry.js';
import { lanternPaper } from '../../support/stores/example-papers.js';
import { ingestLocally } from '../../support/stores/local-ingestion.js';
import { startCheckedStore, type CheckedStore } from '../../support/stores/checked-store.js';
import { placeAt } from '../../support/stores/place-at.js';

const lantern = paperId('Lantern: Counting Fireflies with Cheap Cameras');
const bakery = paperId('Scheduling Ovens in Small Bakeries');
const stranger = '00000000-0000-4000-8000-000000000001';
const dense = 'text_hashing_384';
const sparse = 'text_bm25_en';

let whole: CheckedStore;
let wholeRows: Awaited<ReturnType<CheckedStore['rows']>>;
let wholeCells: readonly string[];
beforeAll(async () => {
  whole = await startCheckedStore();
  await whole.ingest();
  wholeRows = await whole.rows();
  wholeCells = await whole.cells(dense);
});
afterAll(() => whole.stop());

const sha = (paper: string): string =>
  whole.manifest().papers.find((each) => each.paperId === paper)?.sha256 ?? '';
const textOf = (paper: string): string => whole.fileOf(`papers/${sha(paper)}.json`);
const copyOf = (paper: string): string => whole.fileOf(`papers/${sha(paper)}.pdf`);

const chunksOf = (paper: string): number =>
  wholeRows['chunks']?.filter(({ ref_paper_id }) => ref_paper_id === paper).length ?? 0;

const cell = (changes: object) => ({
  vector: new Array<number>(384).fill(0.05),
  pdf_id: lantern,
  page_number: 1,
  table_name: 'chunks',
  column_name: 'text_content',
  primary_key: stranger,
  ...changes,
});
const insert = async (entry: object): Promise<void> => {
  await whole.vectors.insert({ collection_name: whole.inMilvus(dense), data: [cell(entry)] });
  await whole.vectors.flushSync({ collection_names: [whole.inMilvus(dense)] });
};

interface Case {
  readonly what: string;
  readonly seed: () => unknown;
  readonly found: () => readonly Partial<Finding>[];
}
const cases: readonly Case[] = [
  {
    what: 'cells without vectors',
    seed: () =>
      whole.vectors.delete({
        collection_name: whole.inMilvus(dense),
        filter: `table_name == 'chunks' and pdf_id == '${lantern}'`,
      }),
    found: () => [
      {
        ...{ kind: 'vectors-missing', where: `${dense} chunks.text_content` },
        ...{ count: chunksOf(lantern), papers: 1 },
      },
    ],
  },
  {
    what: 'a vector of a row that does not exist',
    seed: () => insert({}),
    found: () => [
      {
        ...{ kind: 'vectors-extra', where: `${dense} chunks.text_content`, count: 1, papers: 1 },
        example: `lantern.pdf ${stranger}`,
      },
    ],
  },
  {
    what: 'a vector of an empty cell',
    seed: () =>
      insert({
        table_name: 'metadata',
        column_name: 'tldr',
        primary_key: lantern,
        page_number: -1,
      }),
    found: () => [{ kind: 'vectors-extra', where: `${dense} metadata.tldr`, count: 1 }],
  },
  {
    what: 'a vector of a paper that the store does not hold',
    seed: () => insert({ pdf_id: stranger }),
    found: () => [
      { kind: 'vectors-extra', where: `${dense} chunks.text_content`, count: 1, papers: 0 },
    ],
  },
  {
    what: 'the vectors of a paper under the id of another',
    seed: async () => {
      const [{ primary_key } = {}] = (
        await whole.vectors.query({
          collection_name: whole.inMilvus(dense),
          filter: `table_name == 'chunks' and pdf_id == '${bakery}'`,
          limit: 1,
          output_fields: ['primary_key'],
        })
      ).data;
      await whole.vectors.delete({
        collection_name: whole.inMilvus(dense),
        filter: `primary_key == '${String(primary_key)}'`,
      });
      await insert({ primary_key: String(primary_key) });
    },
    found: () => [
      { kind: 'vectors-missing', where: `${dense} chunks.text_content`, count: 1, papers: 1 },
      { kind: 'vectors-extra', where: `${dense} chunks.text_content`, count: 1, papers: 1 },
    ],
  },
  {
    what: 'the same vector twice',
    seed: () =>
      insert({
        table_name: 'metadata',
        column_name: 'title',
        primary_key: lantern,
        page_number: -1,
      }),
    found: () => [{ kind: 'vectors-miscounted', where: dense, count: 1 }],
  },
  {
    what: 'a collection that is missing',
    seed: () => whole.vectors.dropCollection({ collection_name: whole.inMilvus(sparse) }),
    found: () => [{ kind: 'collection-missing', where: sparse }],
  },
  {
    what: 'a collection of another generation',
    seed: () =>
      whole.ports.collections.create({ ...whole.manifest(), generation: 999 }, bm25Collection),
    found: () => [{ kind: 'collection-left', count: 1 }],
  },
  {
    what: 'what an unfinished ingestion has left',
    seed: () => {
      writeFileSync(whole.fileOf('draft.json'), '{}');
      mkdirSync(whole.fileOf('files/unfinished'));
    },
    found: () => [{ kind: 'file-left', count: 2 }],
  },
  {
    what: 'a changed row',
    seed: () => whole.change(`UPDATE chunks SET ordinal = 99 WHERE ref_paper_id = '${bakery}'`),
    found: () => [{ kind: 'rows-changed', where: 'chunks', count: chunksOf(bakery), papers: 1 }],
  },
  {
    what: 'a changed text, whose vectors stay',
    seed: () =>
      whole.change(
        `UPDATE sections SET section_content = 'Nothing.' WHERE ordinal = 0 AND ref_paper_id = '${lantern}'`,
      ),
    found: () => [{ kind: 'rows-changed', where: 'sections', count: 1, papers: 1 }],
  },
  {
    what: 'a lost row, whose vectors stay',
    seed: () => whole.change(`DELETE FROM chunks WHERE ref_paper_id = '${bakery}'`),
    found: () => [
      { kind: 'rows-missing', where: 'chunks', count: chunksOf(bakery), papers: 1 },
      ...[sparse, dense].map((collection) => ({
        ...({ kind: 'vectors-extra', where: `${collection} chunks.text_content` } as const),
        count: chunksOf(bakery),
      })),
    ],
  },
  {
    what: 'a row too many',
    seed: () =>
      whole.change(
        `INSERT INTO equations SELECT '${stranger}', 'nine fireflies', 0, ref_paper_id, page_id FROM pages WHERE ref_paper_id = '${bakery}'`,
      ),
    found: () => [
      { kind: 'rows-extra', where: 'equations', count: 1, papers: 1 },
      { kind: 'vectors-missing', where: `${sparse} equations.equation_content`, count: 1 },
      { kind: 'vectors-missing', where: `${dense} equations.equation_content`, count: 1 },
    ],
  },
  {
    what: 'rows of a paper that the store does not hold',
    seed: () =>
      whole.change(`INSERT INTO metadata (paper_id, title) VALUES ('${stranger}', 'Late')`),
    found: () => [
      { kind: 'rows-extra', where: 'metadata', count: 1, papers: 0, example: stranger },
    ],
  },
  {
    what: 'a database that is gone',
    seed: () => rmSync(whole.storedFile('tables')),
    found: () => [{ kind: 'tables-lost', example: 'papers.duckdb is missing' }],
  },
  {
    what: 'a file that is no database',
    seed: () => writeFileSync(whole.storedFile('tables'), 'no database'),
    found: () => [{ kind: 'tables-lost' }],
  },
  {
    what: 'a table of another shape',
    seed: () => whole.change('ALTER TABLE reference ADD COLUMN doi VARCHAR'),
    found: () => [
      { kind: 'tables-lost', example: 'table reference is missing, or has other columns' },
    ],
  },
  {
    what: 'a kept text that is gone',
    seed: () => rmSync(textOf(lantern)),
    found: () => [{ kind: 'text-lost', count: 1, papers: 1 }],
  },
  {
    what: 'the kept text of another paper',
    seed: () => copyFileSync(textOf(bakery), textOf(lantern)),
    found: () => [{ kind: 'text-lost', count: 1, papers: 1 }],
  },
  {
    what: 'a damaged text and a row that it no longer explains',
    seed: async () => {
      writeFileSync(textOf(bakery), '{"version":1');
      await whole.change(`UPDATE chunks SET ordinal = 99 WHERE ref_paper_id = '${bakery}'`);
    },
    found: () => [{ kind: 'text-lost', count: 1, papers: 1 }],
  },
  {
    what: 'a copy of a PDF that is gone',
    seed: () => rmSync(copyOf(lantern)),
    found: () => [{ kind: 'pdf-lost', count: 1, papers: 1 }],
  },
  {
    what: 'a copy of a PDF with other bytes',
    seed: () => appendFileSync(copyOf(lantern), '%'),
    found: () => [{ kind: 'pdf-changed', count: 1, papers: 1 }],
  },
  {
    what: 'all texts and PDFs, which are read again from where they were',
    seed: () => rmSync(whole.fileOf('papers'), { recursive: true }),
    found: () => [
      { kind: 'text-lost', count: 2, papers: 2 },
      { kind: 'pdf-lost', count: 2, papers: 2 },
    ],
  },
  {
    what: 'a BM25 model that is gone',
    seed: () => rmSync(whole.storedFile('bm25')),
    found: () => [{ kind: 'bm25-lost', count: 1 }],
  },
  {
    what: 'a BM25 model of other papers',
    seed: () => {
      const file = whole.storedFile('bm25');
      const model = JSON.parse(readFileSync(file, 'utf8')) as { readonly avgdl: number };
      writeFileSync(file, JSON.stringify({ ...model, avgdl: model.avgdl + 1 }));
    },
    found: () => [{ kind: 'bm25-changed', count: 1 }],
  },
  {
    what: 'a manifest with another title',
    seed: () =>
      whole.changeManifest((manifest) => ({
        ...manifest,
        papers: manifest.papers.map((paper) => ({ ...paper, title: 'Untitled' })),
      })),
    found: () => [{ kind: 'paper-changed', count: 2, papers: 2 }],
  },
  {
    what: 'a store that another version has built',
    seed: () => whole.changeManifest((manifest) => ({ ...manifest, fingerprint: 'of old' })),
    found: () => [{ kind: 'outdated', count: 1 }],
  },
];

describe('a check', () => {
  it('finds nothing in a store that is whole, and changes nothing', async () => {
    const before = [whole.footprint(), await whole.collections()];
    const { found, left, lost } = await whole.check();
    expect(found).toMatchObject({ papers: 2, vectors: 2 * wholeCells.length, findings: [] });
    expect([left, lost]).toEqual([null, []]);
    expect([whole.footprint(), await whole.collections()]).toEqual(before);
  });

  it('takes a cell with several vectors for one cell', async () => {
    const { manifest, inMilvus } = whole;
    await insert({ table_name: 'metadata', column_name: 'title', primary_key: lantern });
    const before = manifest();
    whole.changeManifest(({ collections, ...rest }) => ({
      ...rest,
      collections: collections.map((each) =>
        each.name === dense ? { ...each, rows: each.rows + 1 } : each,
      ),
    }));
    expect((await whole.check()).found.findings).toEqual([]);
    await whole.vectors.dropCollection({ collection_name: inMilvus(dense) });
    whole.changeManifest(() => before);
    expect((await whole.check(true)).left?.findings).toEqual([]);
  });

  it('reads more vectors than one reply of Milvus holds', async () => {
    const { ports } = whole;
    const generation = { ...whole.manifest(), generation: 500 };
    const shape = { ...bm25Collection, name: 'text_two', metric: 'COSINE' } as const;
    await ports.collections.create(generation, {
      ...shape,
      vector: { kind: 'dense', dimensions: 2 },
    });
    const place = { table: 'chunks', column: 'text_content', pageNumber: 1, text: 'a' } as const;
    for (const part of [0, 1, 2]) {
      const entries = Array.from({ length: 7_000 }, (_, index) => ({
        paperId: lantern,
        cell: { ...place, primaryKey: `${part} ${index}` },
        vector: [1, index],
      }));
      await ports.collections.insert(generation, shape.name, entries);
      await ports.collections.finish(generation, shape.name);
    }
    const keys = new Set<string>();
    for await (const refs of ports.vectors.refs(generation, shape.name, {
      papers: [lantern, bakery],
    })) {
      for (const { primaryKey } of refs) keys.add(primaryKey);
    }
    expect(keys.size).toBe(21_000);
    expect(await ports.vectors.count(generation, shape.name)).toBe(21_000);
    await ports.collections.dropOthers([whole.manifest()]);
  });

  it.each(cases)('finds $what, and a repair mends it', async ({ seed, found }) => {
    await seed();
    const before = [whole.footprint(), await whole.collections()];
    const seen = await whole.check();
    expect(seen.found.findings).toMatchObject(found());
    expect(seen.found.findings).toHaveLength(found().length);
    expect([whole.footprint(), await whole.collections()]).toEqual(before);

    const mended = await whole.check(true);
    expect(mended).toMatchObject({ found: seen.found, left: { findings: [] }, lost: [] });
    expect(await whole.rows()).toEqual(wholeRows);
    expect(await whole.cells(dense)).toEqual(wholeCells);
    expect(await whole.collections()).toEqual([sparse, dense].map(whole.inMilvus).sort());
    expect(readdirSync(whole.fileOf('.')).sort()).toEqual(['files', 'generations', 'papers']);
    expect(readdirSync(whole.fileOf('files'))).toHaveLength(2);
  });
});

describe('a repair', () => {
  beforeEach(() => whole.ingest());

  it('keeps the rows of a paper whose text and PDF are gone, and names it', async () => {
    const { generation } = whole.manifest();
    for (const path of [textOf(lantern), copyOf(lantern), whole.files.lantern]) rmSync(path);
    await whole.vectors.dropCollection({ collection_name: whole.inMilvus(dense) });
    const { left, lost } = await whole.check(true);
    expect(lost).toMatchObject([{ paperId: lantern, file: 'lantern.pdf', lost: 'text' }]);
    expect(left?.findings).toMatchObject([{ kind: 'text-lost' }, { kind: 'pdf-lost' }]);
    expect(whole.manifest().generation).toBe(generation + 1);
    expect(await whole.rows()).toEqual(wholeRows);
    expect(await whole.cells(dense)).toEqual(wholeCells);
  });

  it('keeps a paper in mind of which nothing is left', async () => {
    for (const path of [textOf(lantern), copyOf(lantern), whole.files.lantern]) rmSync(path);
    rmSync(whole.storedFile('tables'));
    const { left, lost } = await whole.check(true);
    expect(lost).toMatchObject([{ paperId: lantern, lost: 'text' }]);
    expect(left).toMatchObject({ papers: 2 });
    expect(left?.findings).toMatchObject([{ kind: 'text-lost' }, { kind: 'pdf-lost' }]);
    expect(Object.values(await whole.rows())[0]).toMatchObject([{ paper_id: bakery }]);
  });

  it('is completed by an ingestion of what was lost', async () => {
    for (const path of [textOf(lantern), copyOf(lantern), whole.files.lantern]) rmSync(path);
    rmSync(whole.storedFile('tables'));
    await whole.check(true);
    writeFileSync(whole.files.lantern, lanternPaper());
    await ingestLocally(whole.ports, whole.store, [whole.files.lantern]);
    expect((await whole.check()).found.findings).toEqual([]);
    expect(await whole.rows()).toEqual(wholeRows);
  });

  it('names a paper whose PDF is gone and whose text is kept', async () => {
    for (const path of [copyOf(lantern), whole.files.lantern]) rmSync(path);
    const { left, lost } = await whole.check(true);
    expect(lost).toMatchObject([{ paperId: lantern, lost: 'pdf' }]);
    expect(left?.findings).toMatchObject([{ kind: 'pdf-lost', count: 1 }]);
    writeFileSync(whole.files.lantern, lanternPaper());
    await ingestLocally(whole.ports, whole.store, [whole.files.lantern]);
    expect((await whole.check()).found.findings).toEqual([]);
  });

  it('mends what it can of a PDF that has other bytes now', async () => {
    rmSync(copyOf(lantern));
    appendFileSync(whole.files.lantern, '%');
    const { lost } = await whole.check(true);
    expect(lost).toMatchObject([{ paperId: lantern, lost: 'pdf' }]);
  });

  it('does not build a store anew that has leftovers only', async () => {
    const { generation } = whole.manifest();
    mkdirSync(whole.fileOf('files/7'));
    expect((await whole.check(true)).left?.findings).toEqual([]);
    expect(whole.manifest().generation).toBe(generation);
  });

  it('goes on beside processes that read the store', async () => {
    const { entry, remove } = compiledEntry('worker/adapters/duckdb/query-process.ts');
    const tables = createDuckdbTables({ ...placeAt(whole.home), entry });
    const count = () =>
      tables.query(
        {
          database: { kind: 'store', name: whole.store },
          sql: 'SELECT count(*) AS n FROM metadata',
          maxRows: 1,
          timeoutMs: 60_000,
        },
        new AbortController().signal,
      );
    try {
      const before = await count();
      expect(before.kind).toBe('rows');
      expect((await whole.check()).found.findings).toEqual([]);
      rmSync(whole.storedFile('bm25'));
      expect((await whole.check(true)).left?.findings).toEqual([]);
      expect(await count()).toEqual(before);
    } finally {
      tables.close();
      remove();
    }
  });

  it('refuses to encode with an embedder of the store that the worker does not know', async () => {
    const { generation } = whole.manifest();
    whole.changeManifest((manifest) => ({
      ...manifest,
      collections: manifest.collections.map((collection) =>
        collection.name === dense ? { ...collection, embedder: 'other/ada' } : collection,
      ),
    }));
    await expect(whole.check(true)).rejects.toThrow(/knows no embedder 'other\/ada'/);
    expect(whole.manifest().generation).toBe(generation);
  });
});
