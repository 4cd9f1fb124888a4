import { beforeEach, describe, expect, it, vi } from 'vitest';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UnchangedFiles, ParsedCache } from '../../storage/unchanged-files.js';

describe('UnchangedFiles', () => {
  let folder: string;
  let made: string[];
  let files: UnchangedFiles;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'turnwise-unchanged-'));
    made = [];
    files = new UnchangedFiles({ maxBytes: 10 });
  });
  const path = (name: string): string => join(folder, name);
  const read = (name: string): Promise<string | null> =>
    files.read(path(name), async () => {
      made.push(name);
      return readFile(path(name), 'utf8');
    });

  it('reads a file once for as long as it stays as it is', async () => {
    writeFileSync(path('a'), 'one');
    expect([await read('a'), await read('a')]).toEqual(['one', 'one']);
    expect(made).toEqual(['a']);
  });

  it('forgets a file that nobody has asked for in an hour', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
    try {
      writeFileSync(path('a'), 'one');
      await read('a');
      vi.advanceTimersByTime(59 * 60_000);
      await read('a');
      vi.advanceTimersByTime(59 * 60_000);
      await read('a');
      expect(made).toEqual(['a']);
      vi.advanceTimersByTime(61 * 60_000);
      await read('a');
      expect(made).toEqual(['a', 'a']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('reads a file once for all who ask at once, and again where that failed', async () => {
    writeFileSync(path('a'), 'one');
    expect(await Promise.all([read('a'), read('a')])).toEqual(['one', 'one']);
    expect(made).toEqual(['a']);
    writeFileSync(path('b'), 'two');
    const failing = (): Promise<string> => Promise.reject(new Error('no such luck'));
    await expect(files.read(path('b'), failing)).rejects.toThrow('no such luck');
    expect(await read('b')).toBe('two');
  });

  it('reads a file again that was replaced by one of the same size', async () => {
    writeFileSync(path('a'), 'one');
    await read('a');
    writeFileSync(path('b'), 'two');
    renameSync(path('b'), path('a'));
    expect(await read('a')).toBe('two');
  });

  it('asks for the version of a file that is there only now and then, where that is wanted', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      files = new UnchangedFiles({ versionForMs: 100 });
      expect(await read('a')).toBeNull();
      writeFileSync(path('a'), 'one');
      expect(await read('a')).toBe('one');
      writeFileSync(path('a'), 'two or more');
      vi.advanceTimersByTime(99);
      expect(await read('a')).toBe('one');
      vi.advanceTimersByTime(1);
      expect(await read('a')).toBe('two or more');
      writeFileSync(path('a'), 'three');
      files.remove(path('a'));
      expect(await read('a')).toBe('three');
    } finally {
      vi.useRealTimers();
    }
  });

  it('reads a file again that was forgotten', async () => {
    writeFileSync(path('a'), 'one');
    await read('a');
    files.remove(path('a'));
    expect(await read('a')).toBe('one');
    expect(made).toEqual(['a', 'a']);
  });

  it('finds no file that is gone, and reads one that comes back', async () => {
    writeFileSync(path('a'), 'one');
    await read('a');
    rmSync(path('a'));
    expect(await read('a')).toBeNull();
    writeFileSync(path('a'), 'one');
    expect(await read('a')).toBe('one');
    expect(made).toEqual(['a', 'a']);
  });

  it('keeps nothing of a file in which nothing was found', async () => {
    writeFileSync(path('a'), 'one');
    const nothing = (): Promise<string | null> => {
      made.push('a');
      return Promise.resolve(null);
    };
    expect(await files.read(path('a'), nothing)).toBeNull();
    expect(await files.read(path('a'), nothing)).toBeNull();
    expect(made).toEqual(['a', 'a']);
  });

  it('forgets the file not asked for longest when all together are too large', async () => {
    for (const name of ['a', 'b']) writeFileSync(path(name), 'four');
    await read('a');
    await read('b');
    await read('a');
    writeFileSync(path('c'), 'four');
    await read('c');
    made = [];
    await read('a');
    await read('c');
    await read('b');
    expect(made).toEqual(['b']);
  });
});

const kept = (textBytes: number): number => {
  const cache = new ParsedCache<number, object>();
  const keys = Array.from({ length: 50_000 }, (_, key) => key);
  for (const key of keys) cache.set(key, { key }, textBytes);
  expect(cache.get(keys.length - 1)).toEqual({ key: keys.length - 1 });
  return keys.filter((key) => cache.get(key) !== undefined).length;
};

it('counts what a value takes beside its text, so that many short ones fill it too', () => {
  expect(kept(0)).toBe(16 * 1024);
});

it('keeps fewer values of longer texts', () => {
  expect(kept(15 * 1024)).toBe(1024);
});

it('does not keep what is larger than the cache', () => {
  const cache = new ParsedCache<string, object>();
  cache.set('large', {}, 2 ** 30);
  expect(cache.get('large')).toBeUndefined();
});
