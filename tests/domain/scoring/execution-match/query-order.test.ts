import { describe, expect, it } from 'vitest';
import {
  ordersResult,
  queryOrder,
} from '../../../../domain/scoring/execution-match/query-order.js';

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

const result = (column: number) => ({ from: 'result', column });
const added = (column: number) => ({ from: 'added', column });

describe('the keys of a query', () => {
  it.each<[string, readonly object[] | null, string | null]>([
    ['SELECT a, b FROM t ORDER BY b', [result(1)], null],
    ['SELECT t.a, u.b FROM t JOIN u ORDER BY u.b ASC NULLS LAST, 1', [result(1), result(0)], null],
    ['SELECT count(*) n, a FROM t GROUP BY a ORDER BY n', [result(0)], null],
    ['SELECT count(*) AS "n" FROM t ORDER BY n', [result(0)], null],
    ['SELECT a FROM t ORDER BY b DESC', [added(0)], 'SELECT a, b FROM t ORDER BY b DESC'],
    [
      'SELECT t.a FROM t JOIN u ORDER BY u.a',
      [added(0)],
      'SELECT t.a, u.a FROM t JOIN u ORDER BY u.a',
    ],
    ['SELECT a + b FROM t ORDER BY b', [added(0)], 'SELECT a + b, b FROM t ORDER BY b'],
    ['SELECT NOT b FROM t ORDER BY b', [added(0)], 'SELECT NOT b, b FROM t ORDER BY b'],
    ['SELECT * FROM t ORDER BY a', [added(0)], 'SELECT *, a FROM t ORDER BY a'],
    [
      'SELECT * EXCLUDE (b), a FROM t ORDER BY a',
      [added(0)],
      'SELECT * EXCLUDE (b), a, a FROM t ORDER BY a',
    ],
    ['SELECT count(*), a FROM t GROUP BY a ORDER BY a', [result(1)], null],
    ['SELECT *, a FROM t ORDER BY a', [added(0)], 'SELECT *, a, a FROM t ORDER BY a'],
    [
      'SELECT a FROM t GROUP BY a ORDER BY count(*), f(a, (b))',
      [added(0), added(1)],
      'SELECT a, count(*), f(a, (b)) FROM t GROUP BY a ORDER BY count(*), f(a, (b))',
    ],
    [
      "WITH u AS (SELECT 1 FROM t ORDER BY 1) SELECT extract(year FROM d), ',' FROM u ORDER BY d COLLATE NOCASE LIMIT 3",
      [added(0)],
      "WITH u AS (SELECT 1 FROM t ORDER BY 1) SELECT extract(year FROM d), ',', lower(d) FROM u ORDER BY d COLLATE NOCASE LIMIT 3",
    ],
    [
      'SELECT a IS DISTINCT FROM b FROM t ORDER BY c -- by c, a',
      [added(0)],
      'SELECT a IS DISTINCT FROM b, c FROM t ORDER BY c',
    ],
    ['SELECT DISTINCT a FROM t ORDER BY a', [result(0)], null],
    ['SELECT DISTINCT a FROM t ORDER BY b', null, null],
    ['SELECT a FROM t UNION SELECT b FROM u ORDER BY a', [result(0)], null],
    ['SELECT a FROM t UNION SELECT b FROM u ORDER BY c', null, null],
  ])('of %s', (sql, keys, withKeys) => {
    const order = queryOrder(sql);
    expect(order?.keys).toEqual(keys);
    expect(order?.withKeys?.trim() ?? null).toBe(withKeys);
  });

  it.each<[string, object | null]>([
    ['SELECT a FROM t ORDER BY b LIMIT 3', { offset: 0, count: 3 }],
    ['SELECT a FROM t ORDER BY b LIMIT 3 OFFSET 2;', { offset: 2, count: 3 }],
    ['SELECT a FROM t ORDER BY b LIMIT 2, 3', { offset: 2, count: 3 }],
    ['SELECT a FROM t ORDER BY b OFFSET 2 ROWS FETCH NEXT 3 ROWS ONLY', { offset: 2, count: 3 }],
    ['SELECT a FROM t ORDER BY b FETCH FIRST ROW ONLY', { offset: 0, count: 1 }],
    ['SELECT a FROM t ORDER BY b OFFSET 1', { offset: 1, count: Infinity }],
    ['SELECT a FROM t LIMIT 1', { offset: 0, count: 1 }],
    ['SELECT a FROM (SELECT b FROM t ORDER BY b LIMIT 1) ORDER BY a', null],
  ])('and the limit of %s', (sql, limit) => {
    expect(queryOrder(sql)?.limit).toEqual(limit);
  });

  it('are there under another limit', () => {
    const order = queryOrder('SELECT a FROM t ORDER BY b LIMIT 3');
    expect(order?.withLimit(4)).toBe('SELECT a, b FROM t ORDER BY b LIMIT 4');
    expect(queryOrder('SELECT a FROM t LIMIT 3')?.withLimit(4)).toBe('SELECT a FROM t LIMIT 4');
    expect(queryOrder('SELECT a FROM (SELECT a FROM t LIMIT 3)')).toBeNull();
  });
});
