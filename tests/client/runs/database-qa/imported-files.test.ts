import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createDatabasesUnderTest, runInSqlite } from '../../../support/databases-under-test.js';

const { dataset, remove } = createDatabasesUnderTest();
afterAll(remove);

describe('the texts that a store can search', () => {
  /** What is said of a database after the import of a script. */
  const searchedIn = async (script: string) => {
    const { folder, readOne, searched } = dataset();
    runInSqlite(join(folder, 'a.db'), script);
    return searched(await readOne({ path: 'a.db', engine: 'duckdb' }));
  };
  const texts = `('one fine day'), ('two fine days')`;

  it('are those with words, in no column of categories', async () => {
    const cells = Array.from({ length: 30 }, (_, index) => [
      ...[`'word ${index} and more'`, `'code-${index}'`, `'https://x.y/a-b-${index}'`],
      ...[index % 2 === 0 ? `'in stock'` : `'sold out'`, `'第${index}号の紙'`, 'NULL', `' '`],
    ]);
    const found = await searchedIn(
      `CREATE TABLE t (a TEXT, b TEXT, c TEXT, d TEXT, e TEXT, f TEXT, g TEXT);
       INSERT INTO t VALUES ${cells.map((row) => `(${row.join(', ')})`).join(', ')}`,
    );
    expect(found).toEqual([{ table: 't', key: ['rowid'], columns: ['a', 'e'] }]);
  });

  it.each([
    ['a primary key', `CREATE TABLE t (k TEXT PRIMARY KEY, x TEXT)`, `('a', 'b c d')`, ['k']],
    [
      'one that is NULL',
      `CREATE TABLE t (k TEXT PRIMARY KEY, x TEXT)`,
      `(NULL, 'b c d')`,
      ['rowid'],
    ],
    [
      'one that is too long',
      `CREATE TABLE t (k TEXT PRIMARY KEY, x TEXT)`,
      `('${'é'.repeat(300)}', 'b c d')`,
      ['rowid'],
    ],
    [
      'one of two columns whose texts run together',
      `CREATE TABLE t (k TEXT, l TEXT, x TEXT, PRIMARY KEY (k, l))`,
      `('a,b', 'c', 'b c d'), ('a', 'b,c', 'e f g')`,
      ['rowid'],
    ],
  ])('are named by %s, as far as it tells rows apart', async (_, table, rows, key) => {
    const found = await searchedIn(`${table}; INSERT INTO t VALUES ${rows}`);
    expect(found).toEqual([{ table: 't', key, columns: ['x'] }]);
  });

  it('are none of a table whose own column hides the number of a row', async () => {
    const make = 'CREATE TABLE t (x TEXT, rowid TEXT); INSERT INTO t (x) VALUES';
    expect(await searchedIn(`${make} ${texts}`)).toEqual([]);
  });
});

describe('the files of an import', () => {
  it('are made once for equal content, also by two imports at a time, and again if they are damaged', async () => {
    const { folder, home, read, readOne, rows } = dataset();
    runInSqlite(join(folder, 'a.db'), 'CREATE TABLE t (x INT); INSERT INTO t VALUES (1)');
    mkdirSync(join(folder, 'copy'));
    copyFileSync(join(folder, 'a.db'), join(folder, 'copy', 'a.db'));
    const both = await Promise.all([
      read({ path: 'a.db' }, { path: 'copy/a.db' }),
      read({ path: './a.db' }),
    ]);
    const ids = new Set(both.flat().map((each) => JSON.stringify(each)));
    expect(ids.size).toBe(1);
    const [id = ''] = readdirSync(join(home, 'databases'));
    rmSync(join(home, 'databases', id, 'database.json'));
    expect(await rows(await readOne({ path: 'a.db' }), 'SELECT x FROM t')).toEqual([[1]]);
    expect(readdirSync(join(home, 'databases'))).toEqual([id]);
  });

  it('of an import that was killed are removed by the next one', async () => {
    const { folder, home, readOne } = dataset();
    // No process has such a high id.
    const left = join(home, 'databases', `.${'a'.repeat(32)}.${hostname()}.999999999`);
    const others = join(home, 'databases', `.${'a'.repeat(32)}.another-host.999999999`);
    for (const draft of [left, others]) mkdirSync(draft, { recursive: true });
    writeFileSync(join(folder, 'a.sql'), 'CREATE TABLE a (b INT)');
    await readOne({ path: 'a.sql' });
    const drafts = readdirSync(join(home, 'databases')).filter((name) => name.startsWith('.'));
    expect(drafts).toEqual([expect.stringContaining('another-host')]);
  });
});
