import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { expect, it } from 'vitest';
import { growthText } from '../../client/views/end-report.js';
import { databaseUse } from '../../storage/temporal-database.js';

const newPath = (): string => join(mkdtempSync(join(tmpdir(), 'turnwise-database-')), 'a.db');

it('is told from the header of the file, with what is not yet written into it', async () => {
  const path = newPath();
  expect(await databaseUse(path)).toBeNull();
  const database = new sqlite.Database(path);
  database.exec('CREATE TABLE t (data BLOB)');
  for (let i = 0; i < 100; i += 1) database.exec('INSERT INTO t VALUES (zeroblob(40000))');
  database.exec('DELETE FROM t WHERE rowid > 50');
  database.close();
  writeFileSync(`${path}-wal`, 'twelve bytes');
  const use = await databaseUse(path);
  expect(use?.bytes).toBeGreaterThan(4_000_000);
  expect((use?.bytes ?? 0) % 4096).toBe(12);
  expect(use?.freeBytes).toBeGreaterThan(1_900_000);
  expect(use?.freeBytes).toBeLessThan(2_100_000);
});

it.each([
  ['a few bytes', 'SQLite'],
  ['nothing', ''],
])('of a file of %s is its size', async (_what, text) => {
  const path = newPath();
  writeFileSync(path, text);
  expect(await databaseUse(path)).toEqual({ bytes: text.length, freeBytes: 0 });
});

it('grows by what is used, and says so from a megabyte on', () => {
  const use = (bytes: number, freeBytes = 0) => ({ bytes, freeBytes });
  expect(growthText(use(10e6, 4e6), use(12e6, 1e6))).toBe(
    "Temporal's database grew by about 5.0 MB, to 12.0 MB; it keeps histories for TURNWISE_HISTORY_DAYS",
  );
  expect(growthText(use(10e6), use(10.9e6))).toBeNull();
  expect(growthText(null, use(10e6))).toBeNull();
});
