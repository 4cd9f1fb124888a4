import { describe, beforeEach, expect, it } from 'vitest';
import { mkdtempSync, appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolderStorage, GrowingLines } from '../../storage/folder-storage.js';
import { storageContract } from '../support/storage/storage-contract.js';

describe('objects in a folder', () => {
  storageContract(() => {
    const folder = mkdtempSync(join(tmpdir(), 'turnwise-storage-'));
    return () => createFolderStorage(folder);
  });
});

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

it('reads each line once, and one that is being written when it is whole', async () => {
  const lines = new GrowingLines(path, parse);
  expect(await lines.read()).toEqual([]);
  writeFileSync(path, 'a\n\nb\nhä');
  expect(await lines.read()).toEqual(['1 a', '2 b']);
  appendFileSync(path, 'lf\n');
  expect(await lines.read()).toEqual(['1 a', '2 b', '3 hälf']);
  expect(await lines.read()).toEqual(['1 a', '2 b', '3 hälf']);
  expect(parsed).toEqual(['a', 'b', 'hälf']);
});

it('keeps what it handed out as it was', async () => {
  const lines = new GrowingLines(path, parse);
  writeFileSync(path, 'a\n');
  const first = await lines.read();
  appendFileSync(path, 'b\n');
  await lines.read();
  expect(first).toEqual(['1 a']);
});

it('starts over with another file, with one that was cut, and where there is none', async () => {
  const lines = new GrowingLines(path, parse);
  writeFileSync(path, 'a\nb\n');
  await lines.read();
  writeFileSync(`${path}.new`, 'c\nd\ne\n');
  renameSync(`${path}.new`, path);
  expect(await lines.read()).toEqual(['1 c', '2 d', '3 e']);
  writeFileSync(path, 'f\n');
  expect(await lines.read()).toEqual(['1 f']);
  rmSync(path);
  expect(await lines.read()).toEqual([]);
});

it('names the line it cannot read at every look', async () => {
  const lines = new GrowingLines(path, parse);
  writeFileSync(path, 'a\nbad\n');
  await expect(lines.read()).rejects.toThrow('line 2');
  await expect(lines.read()).rejects.toThrow('line 2');
});
