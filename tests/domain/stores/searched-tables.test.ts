import { describe, expect, it } from 'vitest';
import {
  isSearched,
  possibleKeys,
  searchedTable,
  textColumns,
} from '../../../domain/stores/searched-tables.js';

const column = (name: string, type = 'VARCHAR') => ({
  ...{ name, type, nullable: true, description: '' },
});

describe('the columns that searches find', () => {
  it.each([
    ['names of things', { cells: 100, distinct: 97, words: 2 }, true],
    ['sentences, some of them twice', { cells: 100, distinct: 50, words: 12 }, true],
    ['codes', { cells: 100, distinct: 100, words: 1 }, false],
    ['categories', { cells: 100, distinct: 10, words: 3 }, false],
    ['nothing', { cells: 0, distinct: 0, words: 0 }, false],
  ])('have texts that words tell apart: %s', (_, figures, searched) => {
    expect(isSearched({ column: 'c', ...figures })).toBe(searched);
  });

  it('are neither keys nor anything but texts', () => {
    const table = {
      columns: [column('id'), column('owner'), column('about'), column('size', 'BIGINT')],
      primaryKey: ['id'],
      foreignKeys: [{ columns: ['owner'], table: 'owners', references: [] }],
    };
    const unsaid = (): undefined => undefined;
    expect(textColumns(table, unsaid)).toEqual(['about']);
    expect(textColumns(table, (name) => name === 'owner')).toEqual(['owner']);
  });

  it('are of tables whose rows have a key', () => {
    const figures = [{ column: 'about', cells: 3, distinct: 3, words: 4 }];
    const found = { table: 't', key: ['rowid'], columns: ['about'] };
    const unsaid = (): undefined => undefined;
    expect(searchedTable('t', ['rowid'], figures, unsaid)).toEqual(found);
    expect(searchedTable('t', null, figures, unsaid)).toBeNull();
    expect(searchedTable('t', ['rowid'], [], unsaid)).toBeNull();
    expect(searchedTable('t', ['rowid'], figures, () => false)).toBeNull();
    const codes = [{ column: 'code', cells: 3, distinct: 3, words: 1 }];
    const wanted = { table: 't', key: ['rowid'], columns: ['code'] };
    expect(searchedTable('t', ['rowid'], codes, () => true)).toEqual(wanted);
  });
});

it('the key of a row is the primary key, or else its number', () => {
  expect(possibleKeys({ primaryKey: ['a', 'b'] })).toEqual([['a', 'b'], ['rowid']]);
  expect(possibleKeys({ primaryKey: [] })).toEqual([['rowid']]);
});
