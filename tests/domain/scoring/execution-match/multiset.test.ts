import { describe, expect, it } from 'vitest';
import type { Cell } from '../../../../domain/agent/observations/table-result.js';
import {
  multisetMatch,
  ordersResult,
} from '../../../../domain/scoring/execution-match/row-rules.js';
import { resultOf } from '../../../support/result-of.js';

describe('the rule multiset', () => {
  it.each<[string, string, Cell, string, Cell, boolean]>([
    ['integers that are the same', 'INTEGER', 7, 'BIGINT', 7, true],
    ['integers that differ by little', 'BIGINT', 2_000_000_000, 'BIGINT', 2_000_000_001, false],
    ['big integers', 'BIGINT', '9007199254740993', 'BIGINT', '9007199254740992', false],
    ['an integer and a float', 'INTEGER', 7, 'DOUBLE', 7, true],
    ['a decimal and a float', 'DECIMAL(9,2)', 0.1, 'DOUBLE', 0.1, true],
    ['a long decimal', 'DECIMAL(38,20)', '0.10000000000000000000', 'DOUBLE', 0.1, true],
    ['sums in another order', 'DOUBLE', 0.1 + 0.2, 'DOUBLE', 0.3, true],
    ['a rounded number', 'DOUBLE', 12.3456, 'DOUBLE', 12.35, false],
    ['almost nothing and nothing', 'DOUBLE', 1e-17, 'INTEGER', 0, true],
    ['NULLs', 'INTEGER', null, 'VARCHAR', null, true],
    ['NULL and 0', 'INTEGER', null, 'INTEGER', 0, false],
    ['NULL and an empty text', 'VARCHAR', null, 'VARCHAR', '', false],
    ['NULL and the text null', 'VARCHAR', null, 'VARCHAR', 'null', false],
    ['NaNs', 'DOUBLE', 'NaN', 'DOUBLE', 'NaN', true],
    ['NaN and NULL', 'DOUBLE', 'NaN', 'DOUBLE', null, false],
    ['a number and its text', 'INTEGER', 7, 'VARCHAR', '7', false],
    ['a boolean and 1', 'BOOLEAN', true, 'INTEGER', 1, false],
    ['texts in other case', 'VARCHAR', 'a', 'VARCHAR', 'A', false],
    ['a date and its text', 'DATE', '2020-01-02', 'VARCHAR', '2020-01-02', true],
    ['lists', 'INTEGER[]', [1, 2], 'INTEGER[]', [1, 2], true],
    ['lists in another order', 'INTEGER[]', [1, 2], 'INTEGER[]', [2, 1], false],
  ])('compares %s', (_name, type, cell, otherType, other, match) => {
    const [left, right] = [resultOf([type], [[cell]]), resultOf([otherType], [[other]])];
    for (const [predicted, gold] of [
      [left, right],
      [right, left],
    ] as const) {
      expect(multisetMatch({ predicted, gold, goldSql: 'SELECT a FROM t' }).match).toBe(match);
    }
  });

  const types = ['INTEGER', 'DOUBLE'];
  const rows = [
    [1, 0.5],
    [2, 1.5],
    [2, 1.5],
  ];

  it('pairs rows that are near each other in any order', () => {
    const near = rows.map(([id = 0, share = 0]) => [id, share * (1 + 1e-9)]).toReversed();
    const comparison = { predicted: resultOf(types, near), gold: resultOf(types, rows) };
    expect(multisetMatch({ ...comparison, goldSql: 'SELECT 1' })).toEqual({ match: true });
  });

  it.each([
    ['SELECT 1', [[1, 0.5]], 'Number of rows: 1 instead of 3.'],
    ['SELECT 1', rows.map((row) => row.slice(1)), 'Number of columns: 1 instead of 2.'],
    ['SELECT 1', [rows[0], rows[0], rows[1]], 'A row of the gold is missing.'],
    ['SELECT 1 ORDER BY 1', rows.toReversed(), 'Row 1 differs in values or order.'],
  ])('says under %s what differs: %j', (goldSql, given, reason) => {
    const predicted = resultOf(types.slice(-(given[0]?.length ?? 0)), given as number[][]);
    expect(multisetMatch({ predicted, gold: resultOf(types, rows), goldSql })).toEqual({
      match: false,
      reason,
    });
  });
});

describe('the order of a query', () => {
  it.each([
    ['SELECT a FROM t ORDER BY a', true],
    ['select a from t order\n  by a limit 3', true],
    ['WITH b AS (SELECT a FROM t) SELECT a FROM b ORDER BY (a)', true],
    ['SELECT a FROM (SELECT a FROM t ORDER BY a)', false],
    ['SELECT rank() OVER (ORDER BY a) FROM t', false],
    ["SELECT 'order by' FROM t", false],
    ["SELECT 'it''s (' FROM t ORDER BY 1", true],
    ['SELECT "order by" FROM t', false],
    ['SELECT a FROM t -- order by a', false],
    ['SELECT a FROM t /* order by a */', false],
    ['SELECT a FROM t /* ( */ ORDER BY a', true],
    ['SELECT border by FROM t', false],
  ])('is fixed by %j: %s', (sql, ordered) => {
    expect(ordersResult(sql)).toBe(ordered);
  });
});
