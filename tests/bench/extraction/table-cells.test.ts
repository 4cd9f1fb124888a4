import { expect, it } from 'vitest';
import {
  cellsOfHtml,
  commonRelations,
  relationsOf,
  scoreTables,
} from '../../../bench/extraction/table-cells.js';

const table =
  '<table><tr><th rowspan="2">Meadow</th><th colspan="2">Count</th></tr><tr><td>May</td><td>June</td></tr><tr><td>wet</td><td></td><td>41 2</td></tr></table>';

it('gives cells of HTML their rows and columns', () => {
  expect(cellsOfHtml(table)).toEqual([
    { row: 0, column: 0, last_row: 1, last_column: 0, text: 'Meadow' },
    { row: 0, column: 1, last_row: 0, last_column: 2, text: 'Count' },
    { row: 1, column: 1, last_row: 1, last_column: 1, text: 'May' },
    { row: 1, column: 2, last_row: 1, last_column: 2, text: 'June' },
    { row: 2, column: 0, last_row: 2, last_column: 0, text: 'wet' },
    { row: 2, column: 1, last_row: 2, last_column: 1, text: '' },
    { row: 2, column: 2, last_row: 2, last_column: 2, text: '41 2' },
  ]);
});

it('relates each filled cell to the nearest ones on the right and below', () => {
  expect(relationsOf(cellsOfHtml(table))).toEqual([
    'Meadow → Count',
    'Meadow → May',
    'Meadow ↓ wet',
    'Count ↓ May',
    'Count ↓ June',
    'May → June',
    'June ↓ 412',
    'wet → 412',
  ]);
});

it('has no relations in a table without text', () => {
  expect(relationsOf([])).toEqual([]);
  expect(relationsOf(cellsOfHtml('<table><tr><td> </td></tr></table>'))).toEqual([]);
});

it('counts a relation as often as both tables have it', () => {
  expect(commonRelations(['a → b', 'a → b', 'c → d'], ['a → b', 'c → d', 'c → d'])).toEqual([
    'a → b',
    'c → d',
  ]);
});

it('pairs the tables that have most in common', () => {
  const truth = [['a', 'b'], ['c']];
  const found = [['c'], ['a', 'b', 'c'], ['x']];
  expect(scoreTables(truth, found)).toEqual([
    { truth: 0, found: 1, right: 2 },
    { truth: 1, found: 0, right: 1 },
  ]);
});
