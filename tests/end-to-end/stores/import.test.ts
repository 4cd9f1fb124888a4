import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImportPapersResult } from '../../../domain/stores/ingestion.js';
import type { StoreManifest } from '../../../domain/stores/store-manifest.js';
import { newCorpus } from '../../../domain/stores/bm25.js';
import { storeNameSchema } from '../../../domain/ids.js';
import { startSimulatedModel, type SimulatedModel } from '../../../simulator/simulated-model.js';
import { createPaperFiles } from '../../../worker/adapters/files/paper-files.js';
import { createPdfiumPictures } from '../../../worker/adapters/pdfium/pictures.js';
import {
  checkout,
  newHome,
  turnwise,
  type Finished,
  type Running,
  untilReady,
} from '../../support/command-line.js';
import { bakeryPaper, lanternPaper } from '../../support/stores/example-papers.js';
import { importedRows } from '../../support/stores/imported-paper.js';
import { readRows } from '../../support/stores/read-rows.js';
import {
  insertsOf,
  referenceTables,
  writeDataSet,
  writeDuckdb,
} from '../../support/stores/reference-data.js';
import { storeCheck, storedFile, storedManifest } from '../../support/stores/store-commands.js';
import { placeAt } from '../../support/stores/place-at.js';

const home = newHome();
const geese = importedRows();
const swans = importedRows('Counting Swans', 'b');
const [geeseId = '', swansId = ''] = [geese, swans].map((rows) => rows.metadata[0]?.paper_id ?? '');
const bakeryId = 'c0000000-0000-5000-8000-000000000000';
const strangeId = 'd0000000-0000-5000-8000-000000000000';
const question = 'How many geese did the north pond hold?';
const bakery = 'Which schedules suffice for four ovens?';

let model: SimulatedModel;
let settings: Record<string, string>;
let up: Running;
const command = (...args: string[]): Promise<Finished> => turnwise(args, settings).finished;
const manifest = (store: string): StoreManifest => storedManifest(home, store);
const check = (store: string, ...flags: string[]) => storeCheck(command, store, ...flags);
const importAll = async (...args: string[]) => {
  const imported = await command('store', 'import', ...args, '--json');
  const result = JSON.parse(imported.stdout) as ImportPapersResult;
  return { status: imported.status, ...result };
};

beforeAll(async () => {
  const sql = `SELECT text_content FROM chunks WHERE ref_paper_id = '${geeseId}'`;
  model = await startSimulatedModel({
    script: {
      questions: [
        {
          question,
          steps: [
            { thought: 'I look for ponds.', search: 'geese of the north pond' },
            { thought: 'The passages of the paper say it.', sql },
          ],
          answer: { thought: 'It says 214.', value: '{{/held (\\d+) geese/}}' },
        },
        {
          question: bakery,
          steps: [{ thought: 'I look for ovens.', search: 'schedules for four ovens' }],
          answer: { thought: 'Greedy ones.', value: '{{/[Gg]reedy schedules/}}' },
        },
      ],
    },
  });
  settings = { TURNWISE_HOME: home, OPENAI_BASE_URL: model.url };
  up = turnwise(['up'], settings);
  await untilReady(up);
  const corners = {
    ...geese,
    tables: geese.tables.map((table) => ({ ...table, bounding_box: [72, 100, 272, 150] as const })),
  };
  const half = { ...swans, sections: [], chunks: [], tables: [], pages: swans.pages.slice(1) };
  await writeDuckdb(join(home, 'data/birds.duckdb'), [
    ...referenceTables,
    ...insertsOf(half),
    ...insertsOf(corners),
  ]);
  const corpus = newCorpus();
  for (const text of ['geese on ponds', 'geese at dusk', 'swans', 'ovens in small bakeries']) {
    corpus.add(text);
  }
  writeDataSet(join(home, 'data'), {
    'bm25.json': corpus.fit(),
    [`papers/mob2023/${geeseId}.pdf`]: lanternPaper(),
    [`papers/uncategorized/${bakeryId}.pdf`]: bakeryPaper(),
    [`metadata/${bakeryId}.json`]: { title: 'Ovens', conference: 'BAKE', year: 2020 },
    [`processed_data/${bakeryId}.json`]: {
      info_from_mineru: {
        TOC: [{ title: '1 Introduction', level: 1, text: 'Bakeries start early.', page_number: 1 }],
      },
      summary: { page_summary: ['Greedy schedules suffice.'] },
    },
    [`processed_data/${strangeId}.json`]: { info_from_mineru: {} },
  });
});
afterAll(async () => {
  up.child.kill('SIGINT');
  expect(await up.finished).toMatchObject({ status: 0 });
  await model.close();
});

describe('an import of what another system has read', () => {
  it('names what it cannot use and what is missing, and takes the rest', async () => {
    const imported = await command('store', 'import', 'data', '--store', 'birds');
    expect(imported.stdout.split('\n')).toEqual([
      'store birds: 3 papers imported, 0 there already, vectors of hashing/384',
      `  1 page missing: 1 paper, such as ${swansId}`,
      `  no passages: 1 paper, such as ${swansId}`,
      `  no sections: 1 paper, such as ${swansId}`,
      `  no PDF, and so no pictures of pages: 1 paper, such as ${swansId}`,
      '',
    ]);
    expect(imported.stderr).toContain(
      `${strangeId}: The text of its pages needs its PDF, papers/…/${strangeId}.pdf.`,
    );
    expect(imported.status).toBe(2);
  });

  it('keeps the ids and the rows', async () => {
    const { papers, givenBm25 } = manifest('birds');
    expect(papers.map(({ paperId }) => paperId).sort()).toEqual([geeseId, swansId, bakeryId]);
    expect(givenBm25).toMatch(/^[0-9a-f]{64}$/);
    const database = storedFile(home, 'birds', 'tables');
    for (const [table, rows] of Object.entries<readonly object[]>(geese)) {
      const key = table === 'metadata' ? 'paper_id' : 'ref_paper_id';
      const sql = `SELECT * FROM ${table} WHERE ${key} = '${geeseId}' ORDER BY rowid`;
      expect(await readRows(database, sql)).toEqual(rows);
    }
  });

  it('makes a store in which everything agrees', async () => {
    expect(await check('birds')).toMatchObject({ status: 0, found: { papers: 3, findings: [] } });
  });

  it.each([
    [question, '214'],
    [bakery, 'Greedy schedules'],
  ])('answers %s', async (asked, answer) => {
    const finished = await command('ask', asked, '--store', 'birds', '--json');
    expect(finished.status, finished.stderr).toBe(0);
    expect(JSON.parse(finished.stdout)).toMatchObject({ answer, outcome: { kind: 'answered' } });
  });

  it('draws pages where it had the PDF, and says where it had none', async () => {
    const { storage, copies, generations } = placeAt(home);
    const pictures = createPdfiumPictures({
      generations,
      pdf: createPaperFiles(storage, copies).pdf,
      thread: new URL('dist/worker/adapters/pdfium/pdfium-thread.js', `file://${checkout}/`),
    });
    const draw = (paperId: string) =>
      pictures.ofPage(
        { store: storeNameSchema.parse('birds'), paperId, page: 1, box: [], timeoutMs: 60_000 },
        new AbortController().signal,
      );
    expect(await draw(geeseId)).toMatchObject({ kind: 'picture' });
    expect(await draw(swansId)).toEqual({
      kind: 'picture-error',
      message: 'the PDF of this paper is not kept',
    });
  });

  it('changes nothing when it is repeated', async () => {
    const before = manifest('birds');
    expect(await importAll('data', '--store', 'birds')).toMatchObject({
      ...{ status: 2, ingested: [], unchanged: [0, 1, 2].map((): unknown => expect.any(String)) },
    });
    expect(manifest('birds')).toEqual(before);
  });

  it('is mended like any other store, with its own BM25 model', async () => {
    const before = manifest('birds');
    rmSync(storedFile(home, 'birds', 'tables'));
    const { found, left } = await check('birds', '--repair');
    expect(found.findings.map(({ kind }) => kind)).toContain('tables-lost');
    expect(left).toMatchObject({ papers: 3, findings: [] });
    expect(manifest('birds').givenBm25).toBe(before.givenBm25);

    writeFileSync(storedFile(home, 'birds', 'bm25'), '{}');
    expect(await check('birds', '--repair')).toMatchObject({
      found: { findings: [{ kind: 'bm25-lost' }] },
      left: { findings: [] },
    });
    expect(manifest('birds').givenBm25).toBeUndefined();
  });

  it('keeps the rows of a paper whose import is lost, until it is imported again', async () => {
    const lost = manifest('birds').papers.find(({ paperId }) => paperId === geeseId)?.sha256 ?? '';
    rmSync(join(home, 'stores/birds/papers', `${lost}.json`));
    expect(await check('birds', '--repair')).toMatchObject({
      status: 1,
      found: { findings: [{ kind: 'text-lost', count: 1 }] },
      lost: [{ paperId: geeseId, lost: 'import' }],
    });
    await importAll('data', '--store', 'birds');
    expect(await check('birds')).toMatchObject({ status: 0 });
  });

  it('lets PDFs be ingested beside it, of which those it has are no others', async () => {
    mkdirSync(join(home, 'pdfs'));
    writeFileSync(join(home, 'pdfs/lantern.pdf'), lanternPaper());
    const again = await command('store', 'add', 'pdfs', '--store', 'birds');
    expect(again.stdout).toBe(
      'store birds: 0 papers ingested, 1 there already, vectors of hashing/384\n',
    );
    const papers = await command(
      'store',
      'add',
      join(checkout, 'examples/papers/tables-first.pdf'),
      '--store',
      'birds',
    );
    expect(papers.stdout).toBe(
      'store birds: 1 paper ingested, 0 there already, vectors of hashing/384\n',
    );
    expect(manifest('birds').papers.map(({ paperId }) => paperId)).toContain(geeseId);
    expect(await check('birds')).toMatchObject({ status: 0, found: { papers: 4 } });
  });

  it('gives a PDF that was ingested its imported id', async () => {
    await command('store', 'add', 'pdfs', '--store', 'late');
    await importAll('data', '--store', 'late');
    expect(
      manifest('late')
        .papers.map(({ paperId }) => paperId)
        .sort(),
    ).toEqual([geeseId, swansId, bakeryId].sort());
    expect(await check('late')).toMatchObject({ status: 0 });
    expect(await command('store', 'rm', 'late', '--yes')).toMatchObject({ status: 0 });
  });
});

describe('what cannot be imported', () => {
  beforeAll(async () => {
    await writeDuckdb(join(home, 'other/shop.duckdb'), ['CREATE TABLE sales (amount INTEGER)']);
    writeDataSet(join(home, 'bad'), {
      'bm25.json': { version: 'v2' },
      'processed_data/a.json': {},
    });
    mkdirSync(join(home, 'empty'));
  });

  it.each([
    ['nothing', ['nowhere'], /there is no file or folder nowhere/],
    ['an empty folder', ['empty'], /nothing to import in empty: neither papers \(/],
    [
      'another database',
      ['data/bm25.json', 'other'],
      /shop\.duckdb is no database of papers: table metadata is missing/,
    ],
    ['two databases', ['data', 'other'], /one database at a time, not .*birds\.duckdb and .*shop/],
    ['another BM25 model', ['bad'], /bm25\.json is no fitted BM25 model: version/],
    ['a PDF', ['pdfs/lantern.pdf'], /lantern\.pdf is a PDF: `turnwise store add` reads it/],
  ])('%s is refused in one sentence', async (_, paths, sentence) => {
    const finished = await command('store', 'import', ...paths, '--store', 'none');
    expect(finished.stderr).toMatch(sentence);
    expect(finished.stdout + finished.stderr).not.toMatch(/^\s+at .+:\d+/m);
    expect(finished.status).toBe(2);
    expect(await command('store', 'check', 'none')).toMatchObject({ status: 2 });
  });
});
