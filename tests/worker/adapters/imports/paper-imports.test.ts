import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeNameSchema } from '../../../../domain/ids.js';
import { newCorpus } from '../../../../domain/stores/bm25.js';
import type { ImportSource, Ingestion } from '../../../../domain/stores/ingestion.js';
import { uploadImport } from '../../../../storage/stores/uploads.js';
import { createPaperImports } from '../../../../worker/adapters/imports/paper-imports.js';
import { afar, placeIn } from '../../../support/storage/afar.js';
import { importedRows } from '../../../support/stores/imported-paper.js';
import {
  insertsOf,
  referenceTables,
  tablesWithoutKeys,
  writeDataSet,
  writeDuckdb,
} from '../../../support/stores/reference-data.js';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-imports-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What one machine gives, another one imports: it sees the storage alone. */
const storage = afar(join(folder, 'bucket'));
const imports = createPaperImports(storage, placeIn(storage, join(folder, 'there')).copies);

async function give(source: ImportSource): Promise<Ingestion> {
  const ingestion = { store: storeNameSchema.parse('papers'), id: randomUUID() };
  await uploadImport(storage, ingestion, source);
  return ingestion;
}

const geese = importedRows();
const swans = importedRows('Counting Swans', 'b');
const [geeseId = '', swansId = ''] = [geese, swans].map((rows) => rows.metadata[0]?.paper_id ?? '');
const other = 'c0000000-0000-5000-8000-000000000000';
const database = join(folder, 'geese.duckdb');
const source = { database, bm25: null, folders: [folder] };

beforeAll(async () => {
  await writeDuckdb(database, [...referenceTables, ...insertsOf(swans), ...insertsOf(geese)]);
  writeDataSet(folder, {
    [`processed_data/${other}.json`]: { info_from_mineru: {} },
    [`processed_data/notes.txt`]: 'nothing',
    [`metadata/${geeseId}.json`]: { title: 'Counting Geese' },
    [`papers/mob2023/${geeseId}.pdf`]: Buffer.from('geese'),
  });
});

describe('papers to import', () => {
  it('are those of the tables and of the processed data', async () => {
    const papers = [geeseId, swansId, other];
    expect(await imports.papers(await give(source))).toEqual({ papers, gaps: [] });
    expect(await imports.papers(await give({ ...source, database: null }))).toEqual({
      papers: [other],
      gaps: [],
    });
  });

  it('come with all that there is of them', async () => {
    const found = await imports.read(await give(source), [geeseId, other]);
    expect(found).toEqual([
      {
        ...{
          paperId: geeseId,
          rows: geese,
          processed: null,
          metadata: '{"title":"Counting Geese"}',
        },
        pdf: expect.stringMatching(new RegExp(`there/.*/papers/${geeseId}.pdf$`)) as unknown,
      },
      {
        ...{ paperId: other, rows: null, processed: '{"info_from_mineru":{}}' },
        ...{ metadata: null, pdf: null },
      },
    ]);
  });

  it('say what rows belong to none', async () => {
    const path = join(folder, 'orphans.duckdb');
    const orphan = 'INSERT INTO chunks (text_content) VALUES ($$ a $$), ($$ b $$)';
    await writeDuckdb(path, [...tablesWithoutKeys, ...insertsOf(geese), orphan]);
    expect(await imports.papers(await give({ ...source, database: path, folders: [] }))).toEqual({
      papers: [geeseId],
      gaps: [{ kind: 'rows', count: 2, papers: 0, example: 'table chunks' }],
    });
  });

  it.each([
    ['a table that is missing', 'DROP TABLE reference', 'table reference is missing'],
    [
      'a column that is missing',
      'ALTER TABLE pages DROP COLUMN page_width',
      'column page_width of table pages is missing',
    ],
    [
      'a column of another type',
      'ALTER TABLE chunks ALTER ordinal TYPE VARCHAR',
      'column ordinal of table chunks is VARCHAR instead of INTEGER',
    ],
    [
      'a row of two papers',
      `INSERT INTO pages (page_id, ref_paper_id) VALUES ('${geese.pages[0]?.page_id ?? ''}', '${other}')`,
      `table pages gives ${geese.pages[0]?.page_id ?? ''} to several papers`,
    ],
  ])('are refused for %s', async (what, change, reason) => {
    const path = join(folder, `${what}.duckdb`);
    await writeDuckdb(path, [...tablesWithoutKeys, ...insertsOf(geese), change]);
    await expect(imports.papers(await give({ ...source, database: path }))).rejects.toMatchObject({
      type: 'UnreadableImport',
      message: `${path} is no database of papers: ${reason}.`,
    });
  });

  it('are refused in a file that is no database', async () => {
    const path = join(folder, 'no.duckdb');
    writeFileSync(path, 'no database');
    await expect(imports.papers(await give({ ...source, database: path }))).rejects.toMatchObject({
      type: 'UnreadableImport',
      message: expect.stringContaining(`${path} cannot be opened by DuckDB`) as unknown,
    });
  });
});

describe('a BM25 model to import', () => {
  it('is one in the format of a store', async () => {
    const corpus = newCorpus();
    corpus.add('geese at dusk');
    const model = corpus.fit();
    writeDataSet(folder, { 'bm25.json': model });
    const bm25 = join(folder, 'bm25.json');
    expect(await imports.bm25(await give({ ...source, bm25 }))).toEqual(model);
    expect(await imports.bm25(await give(source))).toBeNull();
  });

  it.each(['{"version": "v2"}', 'geese'])('is not %s', async (text) => {
    const path = join(folder, 'other.json');
    writeFileSync(path, text);
    await expect(imports.bm25(await give({ ...source, bm25: path }))).rejects.toMatchObject({
      type: 'UnreadableImport',
    });
  });
});
