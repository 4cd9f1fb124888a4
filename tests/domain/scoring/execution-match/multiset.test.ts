import { describe, expect, it } from 'vitest';
import type { Cell } from '../../../../domain/agent/observations/tool-outcome.js';
import { multisetMatch } from '../../../../domain/scoring/execution-match/row-rules.js';
import fc from '../../../support/arbitrary/fast-check.js';
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

describe('rows of the rule multiset', () => {
  const match = (
    given: readonly (readonly Cell[])[],
    expected: readonly (readonly Cell[])[],
    types: readonly string[],
    goldSql = 'SELECT 1',
  ) =>
    multisetMatch({ predicted: resultOf(types, given), gold: resultOf(types, expected), goldSql })
      .match;

  it.each<[string, number[][], number[][], boolean]>([
    // 1 is within the tolerance of its neighbours, which are not within that of each other.
    ['the partner that the next one needs', [[0], [0.8e-9]], [[0.8e-9], [1.6e-9]], true],
    ['an equal row that another one needs', [[0], [0.8e-9]], [[0], [-0.8e-9]], true],
    ['no partner for one', [[0], [3e-9]], [[0.8e-9], [0]], false],
    [
      'in two columns',
      [
        [0, 0],
        [0.8e-9, 5],
      ],
      [
        [0.8e-9, 0],
        [1.6e-9, 5],
      ],
      true,
    ],
    [
      'columns that contradict each other',
      [
        [1, 2],
        [3, 4],
      ],
      [
        [1, 4],
        [3, 2],
      ],
      false,
    ],
  ])('find %s', (_name, given, expected, is) => {
    const types = given[0]?.map(() => 'DOUBLE') ?? [];
    expect(match(given, expected, types)).toBe(is);
    expect(match(given.toReversed(), expected, types)).toBe(is);
  });

  /** Steps of less than the tolerance, so that who is near whom is no equivalence. */
  const near = fc.integer({ min: 0, max: 6 }).map((steps) => steps * 0.6e-9);
  const cell = fc.tuple(near, near, fc.constantFrom('a', 'b', null));
  const rowsOf = fc.array(cell, { maxLength: 6 });
  const types = ['DOUBLE', 'DOUBLE', 'VARCHAR'];

  it('are paired whatever their order, wherever that is possible', () => {
    const equal = (a: readonly Cell[], b: readonly Cell[]): boolean => match([a], [b], types);
    const possible = (given: readonly Cell[][], expected: readonly Cell[][]): boolean =>
      given.length === expected.length &&
      (given.length === 0 ||
        expected.some(
          (row, at) =>
            equal(given[0] ?? [], row) && possible(given.slice(1), expected.toSpliced(at, 1)),
        ));
    fc.assert(
      fc.property(rowsOf, rowsOf, fc.boolean(), (one, two, isSame) => {
        const expected = isSame ? one.map(([a, b, c]) => [a + 0.6e-9, b, c]) : two;
        const verdict = match(one, expected, types);
        expect(verdict).toBe(possible(one as Cell[][], expected as Cell[][]));
        expect(match(one.toReversed(), expected, types)).toBe(verdict);
        expect(match(one, expected.toSorted(), types)).toBe(verdict);
      }),
      { numRuns: 500 },
    );
  });

  it('are paired among many that are near each other', () => {
    const many = Array.from({ length: 20_000 }, (_, at) => [
      (at % 50) * 1e-12,
      ((at * 7) % 20_000) / 3,
    ]);
    const moved = many.map(([a = 0, b = 0]) => [a + 2e-12, b * (1 + 1e-8)]);
    expect(match(moved.toReversed(), many, ['DOUBLE', 'DOUBLE'])).toBe(true);
    const [first, ...others] = moved;
    expect(match([...others, [first?.[0] ?? 0, 9]], many, ['DOUBLE', 'DOUBLE'])).toBe(false);
  });

  it('end the search among thousands that all equal each other, whatever their order', () => {
    const many = Array.from({ length: 5_000 }, (_, at) => [at * 1e-14, at * 1e-14]);
    const odd = [...many.slice(1), [0, 5e-9]];
    expect(match(many, odd, ['DOUBLE', 'DOUBLE'])).toBe(false);
    expect(match(many.toReversed(), odd, ['DOUBLE', 'DOUBLE'])).toBe(false);
  });

  const people = [
    ['Ada', 3],
    ['Bo', 3],
    ['Cy', 2],
    ['Di', 1],
    ['Ed', 1],
  ];
  it.each<[string, string, Cell[][], boolean]>([
    ['ties in another order', 'SELECT a, n FROM t ORDER BY n DESC', swapped(people, 0, 1), true],
    ['ties at the end', 'SELECT a, n FROM t ORDER BY 2 DESC LIMIT 5', swapped(people, 3, 4), true],
    ['an alias', 'SELECT x AS a, y "n" FROM t ORDER BY N DESC', swapped(people, 0, 1), true],
    [
      'an expression',
      'SELECT a, sum( b ) FROM t ORDER BY SUM( b ) DESC',
      swapped(people, 0, 1),
      true,
    ],
    ['rows that do not tie', 'SELECT a, n FROM t ORDER BY n DESC', swapped(people, 1, 2), false],
    ['a second key', 'SELECT a, n FROM t ORDER BY n DESC, a', swapped(people, 0, 1), false],
    ['a key that is not seen', 'SELECT a, n FROM t ORDER BY born', swapped(people, 0, 1), false],
  ])('may stand in another order under %s', (_name, goldSql, given, is) => {
    expect(match(given, people, ['VARCHAR', 'BIGINT'], goldSql)).toBe(is);
  });

  it('tie in a key that the gold does not return where it was executed with it', () => {
    const goldSql = 'SELECT a FROM t ORDER BY n DESC';
    const [names, keys] = [
      people.map(([name]) => [name ?? null]),
      resultOf(['VARCHAR', 'BIGINT'], people),
    ];
    const compare = (given: Cell[][], goldKeys: typeof keys | null) =>
      multisetMatch({
        predicted: resultOf(['VARCHAR'], given),
        gold: resultOf(['VARCHAR'], names),
        goldSql,
        goldKeys,
      });
    expect(compare(swapped(names, 0, 1), keys)).toEqual({ match: true });
    expect(compare(swapped(names, 1, 2), keys)).toEqual({
      match: false,
      reason: 'Rows 1 to 2, which tie, differ in values.',
    });
    expect(compare(swapped(names, 0, 1), null)).toMatchObject({ match: false });
    // The other one of two that tie came into the result.
    const fewer = resultOf(['VARCHAR', 'BIGINT'], people.slice(1));
    expect(compare(swapped(names, 0, 1), fewer)).toMatchObject({ match: false });
  });
});

function swapped(rows: readonly (readonly Cell[])[], one: number, other: number): Cell[][] {
  const copy = rows.map((row) => [...row]);
  [copy[one], copy[other]] = [copy[other] ?? [], copy[one] ?? []];
  return copy;
}
