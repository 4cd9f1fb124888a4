import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { alignColumns, fitLines, RedrawnLines } from '../../../client/views/terminal.js';

it('pads every column to its widest cell, without trailing spaces', () => {
  const lines = alignColumns([
    ['run', 'ended', ''],
    ['a-long-name', '2', 'ü'],
    ['b', '10 of 12', 'why?'],
  ]);
  expect(lines.split('\n')).toEqual([
    'run          ended',
    'a-long-name  2         ü',
    'b            10 of 12  why?',
  ]);
});

function linesOn(columns: number, rows: number) {
  const written: string[] = [];
  const out = { write: (text: string): boolean => written.push(text) > 0, columns, rows };
  return { lines: new RedrawnLines(out), out, written };
}
const up = (rows: number): string => `\u001b[${rows}A\r\u001b[J`;

it('redraws lines in place, once for each change, and removes them', () => {
  const { lines, written } = linesOn(40, 24);
  lines.show(['one', 'two']);
  lines.show(['one', 'two']);
  lines.show(['three']);
  lines.clear();
  lines.clear();
  expect(written).toEqual(['one\ntwo\n', `${up(2)}three\n`, up(1)]);
});

it('wraps long lines, and finds the first line after the terminal became narrower', () => {
  const { lines, out, written } = linesOn(41, 24);
  lines.show(['a line of thirty-five characters xx', 'b']);
  out.columns = 20;
  lines.show(['c']);
  expect(written).toEqual(['a line of thirty-five characters xx\nb\n', `${up(3)}c\n`]);
});

it('shows no more lines than the terminal has', () => {
  const { lines, written } = linesOn(40, 3);
  lines.show(['one', 'two', 'three', 'four']);
  lines.clear();
  expect(written).toEqual(['one\ntwo\n', up(2)]);
});

describe('fitLines', () => {
  it.each<[string, readonly string[]]>([
    ['short', ['short']],
    ['one two three four', ['one two', '  three', '  four']],
    ['a\tb\n\u001b[31mc', ['a b [31mc']],
    ['abcdefghijklmnop', ['abcdefghij', '  klmnop']],
    ['模型模型模型', ['模型模型模', '  型']],
  ])('breaks %j', (text, lines) => expect(fitLines(text, 10)).toEqual(lines));

  it('makes no line wider than the terminal', () => {
    const text = 'the account has no credit left (模型 says so): `turnwise resume a-run` goes on';
    for (let columns = 10; columns < 90; columns += 1) {
      for (const line of fitLines(text, columns))
        expect(stringWidth(line)).toBeLessThanOrEqual(columns);
    }
  });
});
