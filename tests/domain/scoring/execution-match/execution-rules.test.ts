import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  executionRules,
  resultsMatch,
  type ResultRule,
} from '../../../../domain/scoring/execution-match/execution-rules.js';
import { readDocument, tableRows } from '../../../support/markdown.js';
import { resultOf } from '../../../support/result-of.js';

const resultSchema = z
  .object({ types: z.array(z.string()), rows: z.array(z.array(z.json())) })
  .transform(({ types, rows }) => resultOf(types, rows));

const resultRules = [
  'multiset',
  'bird',
  'spider',
  'spider2-lite',
  'spider2-dbt',
  'livesql',
] as const satisfies readonly ResultRule[];

const pairSchema = z.strictObject({
  name: z.string(),
  goldSql: z.string(),
  golds: z.array(resultSchema),
  predicted: resultSchema,
  ordered: z.boolean().default(false),
  ignoreOrder: z.boolean().default(false),
  conditionColumns: z.union([z.array(z.int()), z.array(z.array(z.int()))]).default([]),
  verdicts: z.partialRecord(z.enum(resultRules), z.boolean()),
});

// What the originals said: docs/reference/execution-match.md tells how the pairs were made.
const pairs = readFileSync('tests/fixtures/execution-match/pairs.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => pairSchema.parse(JSON.parse(line)));

describe.each(resultRules)('the rule %s', (rule) => {
  const golden = pairs.filter(({ verdicts }) => rule in verdicts);

  it.each(golden)('judges as its original: $name', ({ verdicts, ...comparison }) => {
    expect(resultsMatch(rule, comparison).match).toBe(verdicts[rule]);
  });

  it('has more than 100 golden pairs, and both verdicts often', () => {
    const equal = golden.filter(({ verdicts }) => verdicts[rule]).length;
    expect(golden.length).toBeGreaterThan(100);
    expect(Math.min(equal, golden.length - equal)).toBeGreaterThan(50);
  });

  it('matches any of several golds, and nothing without a gold', () => {
    const [one, two] = [resultOf(['INTEGER'], [[1]]), resultOf(['INTEGER'], [[2]])];
    const comparison = { predicted: two, goldSql: 'SELECT 2' };
    expect(resultsMatch(rule, { ...comparison, golds: [one, two] })).toEqual({ match: true });
    expect(resultsMatch(rule, { ...comparison, golds: [] })).toEqual({
      match: false,
      reason: 'There is no gold.',
    });
  });
});

it('tells rules of results from rules of answers', () => {
  const named = (compares: string) =>
    Object.entries(executionRules).flatMap(([name, rule]) =>
      rule.compares === compares ? [name] : [],
    );
  expect(named('results')).toEqual(resultRules);
  expect(named('answers')).toEqual(['dabstep', 'dabench']);
});

it('documents where the rules contradict each other as the golden pairs do', () => {
  const documented = tableRows(readDocument('docs/reference/execution-match.md')).flatMap(
    ([name = '', ...verdicts]) => {
      const pair = pairs.find((golden) => golden.name === name);
      return pair ? [[name, verdicts, resultRules.map((rule) => pair.verdicts[rule])]] : [];
    },
  );
  expect(documented).toHaveLength(6);
  for (const [name, said, golden] of documented as [string, string[], boolean[]][]) {
    expect([name, said]).toEqual([name, golden.map((match) => (match ? 'yes' : 'no'))]);
  }
});

describe('the rule spider', () => {
  // The original would try up to 14 ** 14 orders.
  it('finds an order of many columns that hold equal values', () => {
    const columns = 14;
    const bit = (row: number, column: number): number => (row >> (column % 7)) & 1;
    const rows = (order: readonly number[]) =>
      Array.from({ length: 128 }, (_, row) => order.map((column) => bit(row, column)));
    const order = Array.from({ length: columns }, (_, column) => (column * 5 + 3) % columns);
    const types = order.map(() => 'INTEGER');
    const gold = resultOf(types, rows(order.toSorted((a, b) => a - b)));
    const comparison = { golds: [gold], goldSql: 'SELECT * FROM bits' };

    const predicted = resultOf(types, rows(order).toReversed());
    expect(resultsMatch('spider', { ...comparison, predicted }).match).toBe(true);
  });
});

describe('the reasons', () => {
  const gold = resultOf(
    ['INTEGER', 'VARCHAR'],
    [
      [1, 'a'],
      [2, 'b'],
    ],
  );
  it.each<[ResultRule, readonly string[], readonly (readonly (number | string)[])[], string]>([
    ['bird', ['INTEGER', 'VARCHAR'], [[1, 'a']], 'A row of the gold is missing.'],
    [
      'bird',
      ['INTEGER', 'VARCHAR'],
      [
        [1, 'a'],
        [2, 'b'],
        [3, 'c'],
      ],
      'A row is not in the gold.',
    ],
    ['spider', ['INTEGER'], [[1], [2]], 'Number of columns: 1 instead of 2.'],
    [
      'spider',
      ['INTEGER', 'VARCHAR'],
      [
        [1, 'a'],
        [2, 'c'],
      ],
      'The rows have other values.',
    ],
    [
      'spider',
      ['VARCHAR', 'INTEGER'],
      [
        ['b', 1],
        ['a', 2],
      ],
      'The rows have other values.',
    ],
    ['livesql', ['INTEGER', 'VARCHAR'], [], 'It has no rows.'],
    [
      'spider2-lite',
      ['INTEGER', 'VARCHAR'],
      [
        [1, 'a'],
        [2, 'c'],
      ],
      'No column equals column 2 of those that count in the gold.',
    ],
  ])('of %s for %j', (rule, types, rows, reason) => {
    const predicted = resultOf(types, rows);
    const match = resultsMatch(rule, { predicted, golds: [gold], goldSql: 'SELECT 1' });
    expect(match).toEqual({ match: false, reason });
  });
});
