import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StoreManifest } from '../../../domain/stores/store-manifest.js';
import { startSimulatedModel, type SimulatedModel } from '../../../simulator/simulated-model.js';
import {
  newHome,
  turnwise,
  type Finished,
  type Running,
  untilReady,
} from '../../support/command-line.js';
import { queryDuckdb, runInSqlite } from '../../support/databases-under-test.js';
import { storeCheck, storedFile, storedManifest } from '../../support/stores/store-commands.js';

const home = newHome();
const folder = join(home, 'given');
const shop = join(folder, 'shop.sqlite');
const filler = 'The parcel came on time and the box was whole. '.repeat(200);
const question = 'Which product did somebody praise for soup at noon, and how many are in stock?';

let model: SimulatedModel;
let settings: Record<string, string>;
let up: Running;
const command = (...args: string[]): Promise<Finished> => turnwise(args, settings).finished;
const manifest = (store: string): StoreManifest => storedManifest(home, store);
const check = (store: string, ...flags: string[]) => storeCheck(command, store, ...flags);
const sha256 = (file: string): string =>
  createHash('sha256').update(readFileSync(file)).digest('hex');

const search = (column: string, query: string, collection: string): string =>
  `RetrieveFromVectorstore(query='${query}', collection_name='${collection}', table_name='Order notes', column_name='${column}')`;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  runInSqlite(
    shop,
    `CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, stock INTEGER);
     CREATE TABLE "Order notes" (product INTEGER REFERENCES products(id), "free text" TEXT);
     INSERT INTO products VALUES (1, 'Thermos flask', 7), (2, 'Garden hose', 0), (3, 'Desk lamp', 2);
     INSERT INTO "Order notes" VALUES (3, 'An arm that holds where it is put.'),
       (1, '${filler}The soup was still hot at noon. ${filler}'), (2, 'It leaks at the tap.');`,
  );
  const sql =
    'SELECT p.name, p.stock FROM "Order notes" n JOIN products p ON n.product = p.id WHERE n.rowid = {{0.primary_key}}';
  model = await startSimulatedModel({
    script: {
      questions: [
        {
          question,
          steps: [
            {
              thought: 'By meaning.',
              action: search('free text', 'soup hot at noon', 'text_hashing_384'),
            },
            { thought: 'By words.', action: search('free text', 'soup', 'text_bm25_en') },
            { thought: 'What the row belongs to.', sql },
          ],
          answer: { thought: 'There it is.', value: '{{0.name}}: {{0.stock}}' },
        },
      ],
    },
  });
  settings = { TURNWISE_HOME: home, OPENAI_BASE_URL: model.url };
  up = turnwise(['up'], settings);
  await untilReady(up);
});
afterAll(async () => {
  up.child.kill('SIGINT');
  expect(await up.finished).toMatchObject({ status: 0 });
  await model.close();
});

describe('a database that is imported into a store', () => {
  it('is copied, and its texts become searchable', async () => {
    const before = sha256(shop);
    const imported = await command('store', 'import', shop, '--store', 'shop');
    expect(imported).toMatchObject({ status: 0 });
    expect(imported.stdout.split('\n')[0]).toBe(
      'store shop: database shop, 2 tables, 6 rows; searches find products.name, Order notes.free text',
    );
    expect(sha256(shop)).toBe(before);
    const { database, papers, collections } = manifest('shop');
    expect([papers, database?.searched]).toEqual([
      [],
      [
        { table: 'products', key: ['id'], columns: ['name'] },
        { table: 'Order notes', key: ['rowid'], columns: ['free text'] },
      ],
    ]);
    // BM25 has a vector for each cell; of the long one, each part that the dense embedder reads has one.
    const [bm25, dense] = collections.map(({ rows }) => rows);
    expect(bm25).toBe(6);
    expect(dense).toBeGreaterThan(20);
    expect(await check('shop')).toMatchObject({ status: 0, found: { rows: 6, findings: [] } });
  });

  it('stays as it is when it is imported again', async () => {
    const { generation } = manifest('shop');
    const again = await command('store', 'import', shop, '--store', 'shop');
    expect(again.stdout).toMatch(/^store shop is as it was: database shop/);
    expect(manifest('shop').generation).toBe(generation);
  });

  it('is asked with SQL and with searches, whose hits name the cell', async () => {
    const ask = ['ask', question, '--store', 'shop', '--method', 'database_react'];
    const asked = await command(...ask, '--model', 'simulated');
    expect(asked).toMatchObject({ status: 0 });
    expect(asked.stdout).toContain('Thermos flask: 7');
    const hits = asked.stdout.match(
      /"table_name":"Order notes","column_name":"free text","primary_key":"1"/g,
    );
    expect(hits?.length).toBeGreaterThanOrEqual(1);
    expect(asked.stdout).not.toContain('pdf_id');
  });

  it('is asked by methods of databases', async () => {
    const prompt = await command(
      'ask',
      '--dry-run',
      'How many?',
      '--store',
      'shop',
      '--method',
      'text-to-sql',
    );
    expect(prompt.stdout).toContain('CREATE TABLE "Order notes" (');
  });

  it('is not for papers, nor for methods that read papers', async () => {
    const refused = async (...args: string[]): Promise<string> => {
      const { status, stderr } = await command(...args);
      expect(status).toBe(2);
      return stderr.trim();
    };
    expect(await refused('ask', question, '--store', 'shop')).toContain(
      'method hybrid_react reads papers, and store shop holds a database: choose --method database_react',
    );
    expect(await refused('store', 'add', 'examples/papers', '--store', 'shop')).toContain(
      'store shop holds a database: put papers into a store of another name',
    );
    expect(await refused('store', 'show', 'shop', '--paper', 'x')).toContain(
      'store shop holds a database and no papers',
    );
  });

  it('is shown and listed', async () => {
    const shown = await command('store', 'show', 'shop');
    expect(shown.stdout).toMatch(
      /^shop, 2 tables\n\nproducts, 3 rows +type +notes\n.*name\s+VARCHAR\s+searched/s,
    );
    expect((await command('store', 'list')).stdout).toMatch(/shop\s+2 tables/);
  });

  it('is found damaged, and mended', async () => {
    const file = storedFile(home, 'shop', 'tables');
    appendFileSync(file, 'x');
    const { found } = await check('shop');
    expect(found.findings).toMatchObject([{ kind: 'tables-lost', where: 'shop.duckdb' }]);
    const { left, status } = await check('shop', '--repair');
    expect([status, left?.findings]).toEqual([0, []]);
    const fingerprint = manifest('shop').fingerprint;
    rmSync(file);
    rmSync(storedFile(home, 'shop', 'bm25'));
    expect(await check('shop', '--repair')).toMatchObject({ status: 0, left: { findings: [] } });
    expect(manifest('shop').fingerprint).toBe(fingerprint);
  });

  it('gives way to another one', async () => {
    runInSqlite(shop, `INSERT INTO products VALUES (4, 'Wool scarf', 1)`);
    await command('store', 'import', shop, '--store', 'shop');
    expect(await check('shop')).toMatchObject({ status: 0, found: { rows: 7, findings: [] } });
  });

  it('is removed with all that belongs to it', async () => {
    const dropped = await command('store', 'rm', 'shop', '--yes');
    expect(dropped.stdout).toContain('removed store shop with database shop');
    expect(existsSync(join(home, 'stores/shop'))).toBe(false);
  });
});

describe('other databases', () => {
  it('of DuckDB, and folders of CSV files, become stores too', async () => {
    await queryDuckdb(
      join(folder, 'trams.duckdb'),
      `CREATE TABLE lines (city VARCHAR, number INTEGER, PRIMARY KEY (city, number), remark VARCHAR);
       INSERT INTO lines VALUES ('Ulm', 1, 'a long line along the river'), ('Ulm', 2, 'up the hill')`,
    );
    const csv = join(folder, 'plants');
    mkdirSync(csv);
    writeFileSync(join(csv, 'trees.csv'), 'id,about\n1,grows near water\n2,keeps its leaves\n');
    for (const [store, path] of [
      ['trams', join(folder, 'trams.duckdb')],
      ['plants', csv],
    ] as const) {
      expect(await command('store', 'import', path, '--store', store)).toMatchObject({ status: 0 });
      expect(await check(store)).toMatchObject({ status: 0, found: { rows: 2, findings: [] } });
    }
    expect(manifest('trams').database?.searched).toEqual([
      { table: 'lines', key: ['city', 'number'], columns: ['remark'] },
    ]);
    expect(manifest('plants').database?.searched).toEqual([
      { table: 'trees', key: ['rowid'], columns: ['about'] },
    ]);
  });

  it('may have no texts', async () => {
    writeFileSync(join(folder, 'numbers.csv'), 'a,b\n1,2\n');
    const imported = await command('store', 'import', join(folder, 'numbers.csv'), '--store', 'n');
    expect(imported).toMatchObject({ status: 0 });
    expect(imported.stdout).toContain('no column of texts to search');
    expect(await check('n')).toMatchObject({ status: 0, found: { findings: [] } });
  });

  it('are refused in a sentence where they are broken or ambiguous', async () => {
    writeFileSync(join(folder, 'cut.sqlite'), readFileSync(shop).subarray(0, 5000));
    writeFileSync(join(folder, 'letter.txt'), 'Dear reader');
    mkdirSync(join(folder, 'both/papers'), { recursive: true });
    writeFileSync(join(folder, 'both/a.csv'), 'a\n1\n');
    const refusals: string[] = [];
    for (const path of ['cut.sqlite', 'letter.txt', 'both', 'nothing']) {
      const { status, stderr } = await command(
        'store',
        'import',
        join(folder, path),
        '--store',
        'x',
      );
      expect(status).toBe(2);
      // Where it takes longer, the progress is told before, and nothing else.
      const said = stderr.replaceAll(/^imports databases: \d+ of \d+\n/gm, '');
      refusals.push(said.trim().replaceAll(`${folder}/`, ''));
    }
    expect(refusals).toEqual([
      expect.stringMatching(/^turnwise: cut\.sqlite is a SQLite database that cannot be read: /),
      expect.stringMatching(/letter\.txt is no database of DuckDB or SQLite/),
      expect.stringMatching(/both holds papers and tables: name the one or the other in it$/),
      expect.stringMatching(/there is no file or folder nothing$/),
    ]);
    expect(existsSync(join(home, 'stores/x'))).toBe(false);
  });
});
