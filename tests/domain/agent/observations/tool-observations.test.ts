import { describe, expect, it } from 'vitest';
import { anyValueOfJson } from '../../../../domain/agent/actions/action.js';
import {
  defaultObservationStyle,
  calculationObservation,
  checkPicture,
  noPageObservation,
  noPaperObservation,
  sqlErrorObservation,
  sqlObservation,
  sqlTimeoutObservation,
} from '../../../../domain/agent/observations/observation.js';
import type { Json } from '../../../../domain/formats/python/value.js';

it.each([
  ['0.87 - 0.5', 'The calculated result is: 0.37'],
  ['[1, 2]', 'The calculated result is: [1, 2]'],
  ['3 > 2', 'The calculated result is: True'],
  ['1 / 0', '[Error]: division by zero'],
  ['10 ** 4300', '[Error]: Exceeds the limit (4300 digits) for integer string conversion'],
])('answers %s', (expression, content) =>
  expect(calculationObservation(expression).content).toBe(content),
);

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

const check = (paper: Json, page: Json, box: Json): unknown => {
  const result = checkPicture({
    paper_id: anyValueOfJson(paper),
    page_number: anyValueOfJson(page),
    bounding_box: anyValueOfJson(box),
  });
  return result.kind === 'refused' ? result.observed.content : result.asked;
};

describe('checkPicture', () => {
  it.each<[Json, Json, Json, string]>([
    [7, 0, 'x', '[Error]: paper id must be a string.'],
    ['p', 0, 'x', '[Error]: page number must be a positive integer.'],
    ['p', 'two', [], '[Error]: page number must be a positive integer.'],
    ['p', 1, [1, 2, 3], '[Error]: bounding box must be a list of 0 or 4 floats.'],
    ['p', 1, [1, 2, 3, 'x'], '[Error]: bounding box must be a list of 0 or 4 floats.'],
  ])('refuses %j, %j, %j in the reference’s order', (paper, page, box, message) => {
    expect(check(paper, page, box)).toBe(message);
  });

  it.each<[Json, Json, { readonly page: number; readonly box: readonly number[] }]>([
    [2, [], { page: 2, box: [] }],
    ['2', null, { page: 2, box: [] }],
    [2.7, '', { page: 2, box: [] }],
    [1, ['1.5', 2, 3, 4], { page: 1, box: [1.5, 2, 3, 4] }],
  ])('reads page %j and box %j', (page, box, expected) => {
    expect(check('p', page, box)).toEqual({ paperId: 'p', ...expected });
  });
});

it.each([
  [
    noPaperObservation({ paperId: '../x', page: 1, box: [] }),
    '[Error]: paper id ../x does not exist.',
  ],
  [
    noPageObservation({ paperId: 'p', page: 9, box: [] }),
    '[Error]: page 9 of paper id p does not exist.',
  ],
])('says what does not exist %#', ({ content }, message) => expect(content).toBe(message));
