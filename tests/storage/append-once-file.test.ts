import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { AppendOnceFile } from '../../storage/append-once-file.js';

let path: string;
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'turnwise-')), 'lines');
});
const open = (): AppendOnceFile => new AppendOnceFile(path, (line) => line.charAt(0));
const lines = (...texts: string[]) => texts.map((line) => ({ key: line.charAt(0), line }));

describe('AppendOnceFile', () => {
  it('takes every key once, from itself and from a later process', async () => {
    const file = open();
    await file.append(lines('a1', 'b1'));
    await file.append(lines('b2', 'c1'));
    await open().append(lines('a3', 'd1'));
    expect(readFileSync(path, 'utf8')).toBe('a1\nb1\nc1\nd1\n');
  });

  it('notices what another process has appended', async () => {
    const file = open();
    await file.append(lines('a1'));
    appendFileSync(path, 'b1\n');
    await file.append(lines('b2', 'c1'));
    expect(readFileSync(path, 'utf8')).toBe('a1\nb1\nc1\n');
  });

  it('writes over the half line that a crash left, and never the same length', async () => {
    for (const half of ['b', 'b1', 'b1 with more']) {
      writeFileSync(path, `a1\n${half}`);
      const { ino } = statSync(path);
      await open().append(lines('b1'));
      expect(statSync(path)).toMatchObject({ ino, size: 6 + half.length });
      expect(readFileSync(path, 'utf8')).toBe(`a1\nb1${' '.repeat(half.length)}\n`);
      await open().append(lines('b1', 'c1'));
      expect(readFileSync(path, 'utf8').replaceAll(/ +$/gm, '')).toBe('a1\nb1\nc1\n');
    }
  });

  it('removes damaged lines, whose keys can then be appended again', async () => {
    writeFileSync(path, 'a1\n?\nc1\n');
    const file = new AppendOnceFile(path, (line) => (line === '?' ? null : line.charAt(0)));
    await file.append(lines('b1', 'c2'));
    expect(readFileSync(path, 'utf8')).toBe('a1\nc1\nb1\n');
  });

  it('takes a key once more after it was removed, also where another process removed it', async () => {
    const [file, other] = [open(), open()];
    await file.append(lines('a1', 'b1'));
    await other.remove((line) => ['b1', 'x1'].includes(line));
    expect(readFileSync(path, 'utf8')).toBe('a1\n');
    await other.append(lines('c1'));
    // As long as before, and not the same.
    await file.append(lines('b2', 'c2'));
    expect(readFileSync(path, 'utf8')).toBe('a1\nc1\nb2\n');
  });

  it('removes nothing from a file that is not there', async () => {
    await open().remove(() => true);
    expect(existsSync(path)).toBe(false);
  });
});
