import { describe, expect, it } from 'vitest';
import { resultOfRows } from '../../../domain/agent/database-qa/query-results.js';
import type { Cell } from '../../../domain/agent/observations/tool-outcome.js';
import type { ShownResult } from '../../../domain/building/build.js';
import { shownTable } from '../../../domain/building/shown-table.js';

const shown = (
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
  most = 10,
): ShownResult => {
  const result = {
    columns: columns.map((name) => ({ name, type: 'VARCHAR' })),
    rows: rows.map((row) => [...row]),
    more: false,
  };
  const found = resultOfRows(result, { rows: most, tokens: 500 });
  return {
    sql: '',
    status: rows.length === 0 ? 'empty' : 'rows',
    rows: found.rows,
    shown: found.shown,
  };
};

describe('a shown result as a table', () => {
  it('has its cells as they were, NULL apart from the empty text', () => {
    const rows = [
      ['a, b', null],
      ['say "no"\nand go', ''],
      [' edges ', '7'],
    ];
    expect(shownTable(shown(['x', 'the "y"'], rows))).toEqual({
      columns: ['x', 'the "y"'],
      rows,
      note: '',
    });
  });

  it('has one column of which a cell is NULL', () => {
    expect(shownTable(shown(['x'], [[null], ['1']]))).toMatchObject({ rows: [[null], ['1']] });
  });

  it('says which rows are left out, or that there are none', () => {
    const rows = [['1'], ['2'], ['3']];
    expect(shownTable(shown(['x'], rows, 2))).toEqual({
      columns: ['x'],
      rows: [['1'], ['2']],
      note: '(2 of 3 rows shown)',
    });
    expect(shownTable(shown(['x', 'y'], []))).toEqual({
      columns: ['x', 'y'],
      rows: [],
      note: '(0 rows)',
    });
  });

  it.each([
    ['an error', { sql: '', status: 'error', rows: 0, shown: 'Error: no such column' }],
    ['an open quotation mark', { sql: '', status: 'rows', rows: 1, shown: 'x\n"a' }],
    ['a row that was cut', shown(['x', 'y'], [['a'.repeat(9_000), 'b']])],
  ] as const)('is none of %s', (_, result) => {
    expect(shownTable(result)).toBeNull();
  });
});
