import { expect, it } from 'vitest';
import fc from '../../support/arbitrary/fast-check.js';
import { readCsv } from '../../../domain/formats/csv.js';

const cellsOf = (text: string, separator = ',') => {
  const reading = readCsv(text, separator);
  return reading.kind === 'records' ? reading.records.map(({ cells }) => cells) : reading.problem;
};

it.each([
  [
    'a,b\n1,2\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    '\uFEFFa,b\r\n1,2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a,b\r\n1,2\n3,4\r\n',
    [
      ['a', 'b'],
      ['1', '2'],
      ['3', '4'],
    ],
  ],
  ['a,"b,""c"",\nd"\n', [['a', 'b,"c",\nd']]],
  [
    'a,\n,b\n',
    [
      ['a', ''],
      ['', 'b'],
    ],
  ],
  ['a\n\n,\n\nb', [['a'], ['', ''], ['b']]],
  ['"a"', [['a']]],
  ['a"b,c', [['a"b', 'c']]],
  ['', []],
])('reads %j', (text, cells) => {
  expect(cellsOf(text)).toEqual(cells);
});

it('reads other separators', () => {
  expect(cellsOf('a;"b;c";d,e', ';')).toEqual([['a', 'b;c', 'd,e']]);
});

it('knows on which line a record begins', () => {
  const reading = readCsv('a\n"b\nb"\n\nc\n', ',');
  expect(reading).toMatchObject({ records: [{ line: 1 }, { line: 2 }, { line: 5 }] });
});

it.each([
  ['a\n"b\nc', 'line 2: a quotation mark is not closed rightly'],
  ['"a"b', 'line 1: a quotation mark is not closed rightly'],
])('refuses %j', (text, problem) => {
  expect(cellsOf(text)).toBe(problem);
});

it('reads whatever is written with quotation marks', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ';', 'é', '=') });
  fc.assert(
    fc.property(
      fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 5 }),
      (rows) => {
        const text = rows
          .map((row) => `${row.map((each) => `"${each.replaceAll('"', '""')}"`).join(',')}\r\n`)
          .join('');
        expect(cellsOf(text)).toEqual(rows.filter((row) => row.some((each) => each !== '')));
      },
    ),
  );
});
