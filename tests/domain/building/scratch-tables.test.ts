import { expect, it } from 'vitest';
import { scratchTables } from '../../../domain/building/scratch-tables.js';
import type { DatabaseTable } from '../../../domain/stores/database.js';

const table = (name: string, foreignKeys: DatabaseTable['foreignKeys'] = []): DatabaseTable => ({
  name,
  description: '',
  rows: 0,
  columns: ['id', 'other id'].map((column) => ({
    name: column,
    type: 'INTEGER',
    nullable: true,
    description: '',
  })),
  primaryKey: ['id'],
  foreignKeys,
});
const to = (other: string, references: readonly string[] = []) => ({
  columns: ['other id'],
  table: other,
  references,
});

it('creates referenced tables first, and declares the keys that can be checked', () => {
  const { creates, orphans } = scratchTables({
    tables: [table('order', [to('ITEM', ['ID'])]), table('item')],
  });
  expect(creates.map(({ name }) => name)).toEqual(['item', 'order']);
  expect(creates[1]?.sql).toContain('FOREIGN KEY ("other id") REFERENCES ITEM (ID)');
  expect(orphans.map(({ sql }) => sql)).toEqual([
    'SELECT a."other id" FROM "order" a WHERE a."other id" IS NOT NULL AND NOT EXISTS (SELECT 1 FROM item b WHERE b.ID = a."other id")',
  ]);
});

it.each([
  ['refer to one another', [table('a', [to('b')]), table('b', [to('a')])]],
  ['refer to themselves', [table('a', [to('a')]), table('b')]],
  ['refer to a column that is no key', [table('a', [to('b', ['other id'])]), table('b')]],
])('leaves keys that %s to a query', (_, tables) => {
  const { creates, orphans } = scratchTables({ tables });
  expect(creates.length).toBe(2);
  const declared = creates.filter(({ sql }) => sql.includes('FOREIGN KEY')).length;
  expect(declared).toBeLessThan(orphans.length);
});

it('checks no key of a table that is not there', () => {
  expect(scratchTables({ tables: [table('a', [to('gone')])] })).toMatchObject({ orphans: [] });
});
