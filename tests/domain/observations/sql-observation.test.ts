import { describe, expect, it } from 'vitest';
import { defaultObservationStyle } from '../../../domain/observations/observation.js';
import {
  sqlErrorObservation,
  sqlObservation,
  sqlTimeoutObservation,
} from '../../../domain/observations/sql-observation.js';

const strict = { ...defaultObservationStyle, strictness: 'strict' } as const;
const columns = [{ name: 'n', type: 'INTEGER' }];

describe('sqlObservation', () => {
  it('says so when there are no rows', () => {
    expect(sqlObservation({ columns, rows: [], more: false }, strict)).toEqual({
      content: '[Warning]: The SQL execution result is empty, please check the SQL first.',
      outcome: { kind: 'empty' },
    });
  });

  it('shows the rows there are', () => {
    expect(sqlObservation({ columns, rows: [[1]], more: false }, strict)).toEqual({
      content: '{"n":1}\n\nIn total, 1 rows are displayed in JSON format.',
      outcome: { kind: 'found', shown: 1, cut: false },
    });
  });

  it.each([
    [
      'markdown',
      '+---+\n| n |\n+---+\n| 1 |\n+---+\nIn total, 1 rows are displayed in MARKDOWN format.',
    ],
    ['string', ' n\n 1\nIn total, 1 rows are displayed in STRING format.'],
  ] as const)('ends rows in %s without a blank line', (format, content) => {
    const result = { columns, rows: [[1]], more: false };
    expect(sqlObservation(result, { ...strict, format }).content).toBe(content);
  });
});

it.each([
  [
    sqlErrorObservation('catalog', 'no table t'),
    'catalog',
    '[Error]: Runtime error during SQL execution and output formatting: no table t',
  ],
  [
    sqlTimeoutObservation(600_000),
    'timeout',
    '[TimeoutError]: The SQL execution is TIMEOUT given maximum 600 seconds.',
  ],
])('words a failure as the reference does, and names its class %#', (observed, name, content) => {
  expect(observed).toEqual({ content, outcome: { kind: 'failed', class: name } });
});
