import { readdirSync, readFileSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { afterAll, describe, expect, it } from 'vitest';
import { renderDatabaseDdl, sqlName } from '../../../domain/stores/database-schema.js';
import { createDatabasesUnderTest } from '../../support/databases-under-test.js';

/** A folder of SQLite files that others made, such as the ones that docs/explanation/decisions/0017 names. */
const found = process.env['TURNWISE_TEST_DATABASES'];
const files = (found === undefined ? [] : readdirSync(found)).filter(
  (name) => readFileSync(join(found ?? '', name)).toString('latin1', 0, 15) === 'SQLite format 3',
);

const { dataset, remove } = createDatabasesUnderTest();
afterAll(remove);

/** The most rows of a table that are compared. */
const compared = 5_000;

describe.skipIf(found === undefined)('databases in TURNWISE_TEST_DATABASES', () => {
  it.each(files)('%s has the schema that SQLite has, and the same values', async (name) => {
    const { folder, readOne, rows } = dataset();
    copyFileSync(join(found ?? '', name), join(folder, name));
    const imported = await readOne({ path: name, engine: 'duckdb' });
    const texts = renderDatabaseDdl(imported.description).split('\n\n').slice(1);
    const original = new sqlite.Database(join(folder, name), { readOnly: true });
    const all = (sql: string) => original.all(sql) as Record<string, unknown>[];
    for (const [index, table] of imported.description.tables.entries()) {
      const quoted = `"${table.name.replaceAll('"', '""')}"`;
      const [made] = all(
        `SELECT sql FROM sqlite_schema WHERE name = '${table.name.replaceAll("'", "''")}'`,
      );
      const text = texts[index] ?? '';
      const sql = withoutCommentsAndNames(String(made?.['sql']));
      expect(text).toContain(`CREATE TABLE ${sqlName(table.name)} (`);
      expect(countOf(text, /\bREFERENCES /g)).toBe(countOf(sql, /\bREFERENCES\b/gi));
      expect(text.includes('PRIMARY KEY')).toBe(/PRIMARY\s+KEY/i.test(sql));
      expect(all(`SELECT count(*) AS n FROM ${quoted}`)).toEqual([{ n: table.rows }]);

      const here = await rows(imported, `FROM ${sqlName(table.name)} LIMIT ${compared}`);
      const there = all(`SELECT * FROM ${quoted} LIMIT ${compared}`);
      if (there[0])
        expect(Object.keys(there[0])).toEqual(table.columns.map((column) => column.name));
      const types = table.columns.map(({ type }) => type);
      const different = there.filter((row, at) =>
        Object.values(row).some((value, column) => !same(value, here[at]?.[column], types[column])),
      );
      expect(different.slice(0, 3)).toEqual([]);
    }
    original.close();
  });
});

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

const withoutCommentsAndNames = (sql: string): string =>
  sql.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\/|"[^"]*"/g, '');

function same(there: unknown, here: unknown, type = ''): boolean {
  if (there === null || here === null) return there === here;
  if (there instanceof Uint8Array) return typeof here === 'string';
  if (typeof there === 'string' && typeof here === 'string' && /^(DATE|TIME)/.test(type)) {
    return here.includes(there.slice(0, 8).replace('T', ' '));
  }
  if (type === 'BOOLEAN') return (there === 1 || there === 'true') === here;
  return typeof there === 'string' ? there === here : Number(there) === Number(here);
}
