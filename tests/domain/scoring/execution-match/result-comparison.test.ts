import { expect, it } from 'vitest';
import type { Cell, Column } from '../../../../domain/agent/observations/tool-outcome.js';
import { sqliteRows } from '../../../../domain/scoring/execution-match/result-comparison.js';
import {
  birdMatch,
  livesqlMatch,
  multisetMatch,
  spiderMatch,
} from '../../../../domain/scoring/execution-match/row-rules.js';

// cspell:ignore irtbnir

const result = (column: Omit<Column, 'name'>, ...cells: readonly Cell[]) => ({
  ...{ columns: [{ name: 'x', ...column }], rows: cells.map((cell) => [cell]), more: false },
});

it('takes each value of a result of SQLite for what SQLite has', () => {
  const mixed = result(
    { type: 'ANY', rowTypes: 'irtbnir' },
    ...[7, 7, '7', '37', null, '9007199254740993', 'Infinity'],
  );
  expect(sqliteRows(mixed).flat()).toEqual([
    { kind: 'int', value: 7n },
    { kind: 'float', value: 7 },
    { kind: 'str', value: '7' },
    { kind: 'bytes', value: '7' },
    { kind: 'none' },
    { kind: 'int', value: 9007199254740993n },
    { kind: 'float', value: Infinity },
  ]);
});

it.each([
  ['an integer is the same float', result({ type: 'ANY', rowTypes: 'rt' }, 7, 'x'), true],
  ['a text is no number', result({ type: 'TEXT' }, '7', 'x'), false],
  ['a BLOB is no text', result({ type: 'ANY', rowTypes: 'ib' }, 7, '78'), false],
  [
    'a neighbour beyond 2^53 is another integer',
    result({ type: 'ANY', rowTypes: 'it' }, 8, 'x'),
    false,
  ],
])('%s under every rule', (_, predicted, equal) => {
  const gold = result({ type: 'ANY', rowTypes: 'it' }, 7, 'x');
  for (const match of [multisetMatch, birdMatch, spiderMatch, livesqlMatch]) {
    const goldSql = 'SELECT x FROM t';
    expect(match({ predicted, gold, goldSql }).match).toBe(equal);
  }
});
