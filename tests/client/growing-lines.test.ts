import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { GrowingLines } from '../../client/growing-lines.js';

let path: string;
let parsed: string[];
const parse = (line: string, number: number): string => {
  parsed.push(line);
  if (line === 'bad') throw new Error(`line ${number}`);
  return `${number} ${line}`;
};

beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'turnwise-lines-')), 'lines');
  parsed = [];
});

it('reads each line once, and one that is being written when it is whole', () => {
  const lines = new GrowingLines(path, parse);
  expect(lines.read()).toEqual([]);
  writeFileSync(path, 'a\n\nb\nhä');
  expect(lines.read()).toEqual(['1 a', '2 b']);
  appendFileSync(path, 'lf\n');
  expect(lines.read()).toEqual(['1 a', '2 b', '3 hälf']);
  expect(lines.read()).toEqual(['1 a', '2 b', '3 hälf']);
  expect(parsed).toEqual(['a', 'b', 'hälf']);
});

it('keeps what it handed out as it was', () => {
  const lines = new GrowingLines(path, parse);
  writeFileSync(path, 'a\n');
  const first = lines.read();
  appendFileSync(path, 'b\n');
  lines.read();
  expect(first).toEqual(['1 a']);
});

it('starts over with another file, with one that was cut, and where there is none', () => {
  const lines = new GrowingLines(path, parse);
  writeFileSync(path, 'a\nb\n');
  lines.read();
  writeFileSync(`${path}.new`, 'c\nd\ne\n');
  renameSync(`${path}.new`, path);
  expect(lines.read()).toEqual(['1 c', '2 d', '3 e']);
  writeFileSync(path, 'f\n');
  expect(lines.read()).toEqual(['1 f']);
  rmSync(path);
  expect(lines.read()).toEqual([]);
});

it('names the line it cannot read at every look', () => {
  const lines = new GrowingLines(path, parse);
  writeFileSync(path, 'a\nbad\n');
  expect(() => lines.read()).toThrow('line 2');
  expect(() => lines.read()).toThrow('line 2');
});

it('takes the last line of a finished file without its break', () => {
  const lines = new GrowingLines(path, parse, false);
  writeFileSync(path, 'a\nb');
  expect(lines.read()).toEqual(['1 a', '2 b']);
  appendFileSync(path, '\nc');
  expect(lines.read()).toEqual(['1 a', '2 b', '3 c']);
});
