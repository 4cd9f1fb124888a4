import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTablesUnderTest } from '../../../support/stores/tables-under-test.js';

const { rows, make, remove } = createTablesUnderTest();
beforeAll(make);
afterAll(remove);

it.each([
  ['true', true],
  ['NULL', null],
  ['1::UTINYINT', 1],
  ['9007199254740991::BIGINT', 9007199254740991],
  ['9007199254740993::BIGINT', '9007199254740993'],
  [
    "'-170141183460469231731687303715884105728'::HUGEINT",
    '-170141183460469231731687303715884105728',
  ],
  ['42::HUGEINT', 42],
  ['1.50::DECIMAL(9, 2)', 1.5],
  ['100::DECIMAL(9, 0)', 100],
  ['0.00::DECIMAL(9, 2)', 0],
  ['-0.25::DECIMAL(9, 2)', -0.25],
  ['123456789012345678901234567890.12::DECIMAL(38, 2)', '123456789012345678901234567890.12'],
  ['0.1::DOUBLE', 0.1],
  ["'nan'::DOUBLE", 'NaN'],
  ["'-infinity'::FLOAT", '-Infinity'],
  ["'6BD9EE2B-3A1A-4B49-BA60-D92E5A1B7A7B'::UUID", '6bd9ee2b-3a1a-4b49-ba60-d92e5a1b7a7b'],
  ["DATE '2024-02-29'", '2024-02-29'],
  ["DATE 'infinity'", 'infinity'],
  ["DATE '-infinity'", '-infinity'],
  ["TIMESTAMP '2024-02-29 01:02:03.5'", '2024-02-29T01:02:03.5'],
  ["TIMESTAMP 'infinity'", 'infinity'],
  ["TIMESTAMPTZ '2024-02-29 01:02:03+02'", '2024-02-28T23:02:03Z'],
  ["TIMESTAMP_S '2024-02-29 01:02:03'", '2024-02-29T01:02:03'],
  ["TIME '01:02:03'", '01:02:03'],
  ['INTERVAL 1 MONTH', '1 month'],
  ["'\\xAA\\x00'::BLOB", 'aa00'],
  ["'101'::BIT", '101'],
  ["'x'::ENUM('x', 'y')", 'x'],
  ['[1, NULL, 3]', [1, null, 3]],
  ['[[1], []]', [[1], []]],
  ['[1, 2]::INTEGER[2]', [1, 2]],
  ["{'a': 1, 'b': {'c': [10::BIGINT]}}", { a: 1, b: { c: [10] } }],
  ["MAP {'k': 1}", { k: 1 }],
  ['MAP {1: [2]}', { 1: [2] }],
  ['union_value(n := 1)', { tag: 'n', value: 1 }],
  [`'{"a": 1}'::JSON`, '{"a": 1}'],
])('gives %s as %j', async (expression, cell) => {
  expect(await rows(`SELECT ${expression}`)).toEqual([[cell]]);
});
