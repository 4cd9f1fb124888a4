import { expect, it } from 'vitest';
import { RedrawnLines } from '../../client/redrawn-lines.js';

function linesOn(columns: number, rows: number) {
  const written: string[] = [];
  const out = { write: (text: string): boolean => written.push(text) > 0, columns, rows };
  return { lines: new RedrawnLines(out), out, written };
}
const up = (rows: number): string => `\u001b[${rows}A\r\u001b[J`;

it('writes lines anew in their place, once for each change, and leaves none', () => {
  const { lines, written } = linesOn(40, 24);
  lines.show(['one', 'two']);
  lines.show(['one', 'two']);
  lines.show(['three']);
  lines.clear();
  lines.clear();
  expect(written).toEqual(['one\ntwo\n', `${up(2)}three\n`, up(1)]);
});

it('breaks what is wider than the terminal, and finds back when that became narrower', () => {
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
