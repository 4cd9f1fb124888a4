import { describe, expect, it } from 'vitest';
import {
  defaultObservationStyle,
  renderRows,
  type ObservationStyle,
} from '../../../../domain/agent/observations/observation.js';
import type {
  Cell,
  Column,
  TableResult,
} from '../../../../domain/agent/observations/tool-outcome.js';

const strict = { ...defaultObservationStyle, strictness: 'strict' } as const;
const tolerant = defaultObservationStyle;

const shownRows = (result: TableResult, style: ObservationStyle): string =>
  renderRows(result, style).content;

const numbered = (count: number, more = false): TableResult => ({
  columns: [{ name: 'n', type: 'INTEGER' }],
  rows: Array.from({ length: count }, (_, index) => [index + 1]),
  more,
});

const table = (columns: readonly Column[], ...rows: (readonly Cell[])[]): TableResult => ({
  columns,
  rows,
  more: false,
});

const texts = (...rows: string[]): TableResult =>
  table([{ name: 't', type: 'VARCHAR' }], ...rows.map((text) => [text]));

const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `{"n":${index + 1}}\n`).join('');

/** About as many tokens as words. */
const words = (count: number): string => 'word '.repeat(count).trim();

describe('the note under strict rows', () => {
  it.each([
    [numbered(1), `${lines(1)}\nIn total, 1 rows are displayed in JSON format.`],
    [numbered(10), `${lines(10)}\nIn total, 10 rows are displayed in JSON format.`],
    [
      numbered(11),
      `${lines(10)}\n... # only display 10 rows in JSON format, more are truncated due to length constraint based on max_rows (10)`,
    ],
    [
      numbered(10, true),
      `${lines(10)}\n... # only display 10 rows in JSON format, more are truncated due to length constraint based on max_rows (10)`,
    ],
  ])('counts the rows of result %#', (result, expected) => {
    expect(shownRows(result, strict)).toBe(expected);
  });

  it('names the tokens when the rows are too long', () => {
    const shown = shownRows(texts(words(2000), words(2000), words(2000)), strict);
    expect(shown.split('\n').slice(2)).toEqual([
      '',
      '... # only display 2 rows in JSON format, more are truncated due to length constraint based on max_tokens (5000)',
    ]);
  });

  it.each([
    [[3000, 1900, 60], 3],
    [[3000, 1900, 160], 2],
  ])('counts rows of %j tokens only as far as needed', (lengths, shown) => {
    expect(shownRows(texts(...lengths.map(words)), strict)).toContain(` ${shown} rows `);
  });

  it('names the tokens when whoever read the rows found them too long', () => {
    expect(shownRows(numbered(3, true), strict)).toMatch(/3 rows .* based on max_tokens \(5000\)$/);
  });
});

describe('strict rows', () => {
  it('show the first row whole, however long it is', () => {
    const long = words(6000);
    expect(shownRows(texts(long, 'b'), strict)).toBe(
      `{"t":"${long}"}\n\n... # only display 1 rows in JSON format, more are truncated due to length constraint based on max_tokens (5000)`,
    );
    expect(shownRows(texts(long), strict)).toMatch(
      /In total, 1 rows are displayed in JSON format\.$/,
    );
  });
});

describe('rows as they are shown by default', () => {
  const columns = [
    { name: 'title', type: 'VARCHAR' },
    { name: 'authors', type: 'VARCHAR[]' },
    { name: 'published', type: 'DATE' },
    { name: '1', type: 'DOUBLE' },
    { name: 'TITLE', type: 'INTEGER' },
  ];

  it('are JSON as it is meant', () => {
    const result = table(columns, ['Größe / 大小', ['A "B" C', 'D'], '2024-02-29', 2, null]);
    expect(shownRows(result, tolerant)).toBe(
      '{"title":"Größe / 大小","authors":["A \\"B\\" C","D"],"published":"2024-02-29","1":2,"TITLE_1":null}\n' +
        '\nIn total, 1 row is displayed in JSON format.',
    );
  });

  it.each([
    [
      numbered(11),
      '10 of 11 rows are displayed in JSON format, the rest is cut based on max_rows (10)',
    ],
    [
      numbered(10, true),
      '10 of more than 10 rows are displayed in JSON format, the rest is cut based on max_rows (10)',
    ],
  ])('say how many there are in all %#', (result, note) => {
    expect(shownRows(result, tolerant)).toBe(`${lines(10)}\n... # ${note}`);
  });

  it('cut a first row that is too long, each long cell by its share, and say so', () => {
    const result = table(
      ['a', 'b', 'c'].map((name) => ({ name, type: 'VARCHAR' })),
      [words(9000), 'short', words(4000)],
    );
    const [row = ''] = shownRows(result, { ...tolerant, maxTokens: 101 }).split('\n');
    expect(row).toMatch(
      /^\{"a":"(word ?){50}… \[cut: 50 of 9000 tokens shown\]","b":"short","c":"(word ?){50}… \[cut: 50 of 4000 tokens shown\]"\}$/,
    );
  });

  it('leave a first row alone that fits', () => {
    expect(shownRows(texts(words(4000)), tolerant)).toContain(`{"t":"${words(4000)}"}\n`);
  });
});

it('takes texts that look like special tokens for texts', () => {
  expect(shownRows(texts('<|endoftext|>'), strict)).toContain('{"t":"<|endoftext|>"}');
});

it('tells equal column names apart as DuckDB does', () => {
  const result = table(
    ['a', 'a_1', 'a', 'A'].map((name) => ({ name, type: 'INTEGER' })),
    [1, 2, 3, 4],
  );
  expect(shownRows(result, strict)).toContain('{"a":1,"a_1":2,"a_2":3,"A_3":4}');
});

it.each([
  [numbered(10), { kind: 'found', shown: 10, cut: false }],
  [numbered(11), { kind: 'found', shown: 10, cut: true }],
])('counts what was shown of result %#', (result, outcome) => {
  expect(renderRows(result, tolerant).outcome).toEqual(outcome);
});
