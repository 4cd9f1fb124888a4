import * as fs from 'node:fs/promises';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createFileAtomically,
  draftOf,
  removeLeftovers,
  writeFileAtomically,
  writeFileIfPossible,
} from '../../storage/atomic-file.js';

vi.mock(import('node:fs/promises'), { spy: true });

let folder: string;
let path: string;
beforeEach(() => {
  vi.mocked(fs.link).mockReset();
  folder = mkdtempSync(join(tmpdir(), 'turnwise-atomic-'));
  path = join(folder, 'below', 'file');
});

const failingWith = (code: string) => (): Promise<never> =>
  Promise.reject(Object.assign(new Error(code), { code }));

describe('a file that is written whole', () => {
  it('replaces what was there', async () => {
    await writeFileAtomically(path, 'one');
    await writeFileAtomically(path, 'two');
    expect(readFileSync(path, 'utf8')).toBe('two');
  });
});

describe('a file that a disk may be too full for', () => {
  it('is not there then, and is no failure', async () => {
    vi.mocked(fs.rename).mockImplementationOnce(failingWith('ENOSPC'));
    await writeFileIfPossible(path, 'one');
    expect(readdirSync(join(folder, 'below'))).toEqual([]);
    await writeFileIfPossible(path, 'two');
    expect(readFileSync(path, 'utf8')).toBe('two');
  });
});

describe('a file that is created whole', () => {
  it('leaves what was there, and tells', async () => {
    expect(await createFileAtomically(path, 'one')).toBe(true);
    expect(await createFileAtomically(path, 'two')).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe('one');
    expect(readdirSync(join(folder, 'below'))).toEqual(['file']);
  });

  it('is renamed where the file system has no hard links', async () => {
    vi.mocked(fs.link).mockImplementation(failingWith('EPERM'));
    expect(await createFileAtomically(path, 'one')).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('one');
    expect(readdirSync(join(folder, 'below'))).toEqual(['file']);
  });

  it.each([
    [
      'has no room left',
      () => vi.mocked(fs.link).mockImplementation(failingWith('ENOSPC')),
      'ENOSPC',
    ],
    [
      'has a file where a folder belongs',
      () => writeFileSync(join(folder, 'below'), ''),
      'ENOTDIR',
    ],
  ])('leaves nothing where the disk %s', async (_name, prepare, code) => {
    prepare();
    const before = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    await expect(createFileAtomically(path, 'one')).rejects.toEqual(
      expect.objectContaining({ code }),
    );
    const drafts = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => !before.includes(name),
    );
    expect(drafts.filter((name) => name !== 'below')).toEqual([]);
  });
});

describe('what processes that were killed left', () => {
  it('is removed after a day, in a folder and as deep in it as is said, and nothing else', async () => {
    const inRun = join(folder, 'demo');
    mkdirSync(join(inRun, 'turns'), { recursive: true });
    const next = join(inRun, 'results.jsonl.4711-1764217502000.25.128.next');
    const leftovers = [draftOf(join(folder, 'a.json')), draftOf(join(inRun, 'b.json')), next];
    const others = [
      join(inRun, 'results.jsonl'),
      join(inRun, 'notes.tmp'),
      join(inRun, 'what.next'),
      draftOf(join(inRun, 'turns', 'deeper.json')),
    ];
    const fresh = draftOf(join(inRun, 'c.json'));
    for (const file of [...leftovers, ...others, fresh]) writeFileSync(file, '');
    const longAgo = new Date(Date.now() - 25 * 3600_000);
    for (const file of [...leftovers, ...others]) utimesSync(file, longAgo, longAgo);
    await removeLeftovers(folder, 1);
    const left = readdirSync(folder, { recursive: true, withFileTypes: true });
    const files = left.filter((entry) => entry.isFile());
    expect(files.map(({ parentPath, name }) => join(parentPath, name)).toSorted()).toEqual(
      [...others, fresh].toSorted(),
    );
  });

  it('may be in no folder', async () => {
    await expect(removeLeftovers(join(folder, 'none'), 1)).resolves.toBeUndefined();
  });
});
