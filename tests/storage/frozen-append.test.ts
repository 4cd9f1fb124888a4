import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import type * as Fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AppendOnceFile } from '../../storage/append-once-file.js';

/** Called before each operation on a file, which waits until it resolves, and fails where it rejects. */
const freezer = vi.hoisted((): { before: (operation: string) => Promise<void> } => ({
  before: () => Promise.resolve(),
}));

vi.mock('node:fs/promises', async (importOriginal) => {
  const slowed = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (of, name) => {
        const value: unknown = Reflect.get(of, name);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]): Promise<unknown> => {
          await freezer.before(String(name));
          // All functions of node:fs/promises, and of a FileHandle, are asynchronous.
          const done: unknown = await (value as (...args: unknown[]) => Promise<unknown>).apply(
            of,
            args,
          );
          return name === 'open' ? slowed(done as object) : done;
        };
      },
    });
  const fs = await importOriginal<typeof Fs>();
  return { ...slowed({ ...fs }), default: fs };
});

/** Freezes nothing more. What is frozen stays so. */
const goOn = (): void => {
  freezer.before = () => Promise.resolve();
};
afterEach(goOn);

/** Freezes before its operation number `at` whatever runs now, until it is thawed. */
function freezeAt(at: number): { readonly frozen: Promise<void>; readonly thaw: () => void } {
  let thaw = (): void => undefined;
  let count = 0;
  const thawed = new Promise<void>((resolve) => (thaw = resolve));
  const frozen = new Promise<void>((resolve) => {
    freezer.before = () => {
      count += 1;
      if (count !== at) return Promise.resolve();
      resolve();
      return thawed;
    };
  });
  return { frozen, thaw };
}

const keyOf = (line: string): string | null => (line === '?' ? null : line.charAt(0));
const lines = (...texts: string[]) => texts.map((line) => ({ key: line.charAt(0), line }));
const instants = Array.from({ length: 16 }, (_, index) => index + 1);

describe('a process that is frozen while it appends', () => {
  const frozenWhile = async (
    at: number,
    before: readonly string[],
    work: (file: AppendOnceFile) => Promise<void>,
    meanwhile: (file: AppendOnceFile) => Promise<void>,
  ): Promise<readonly string[]> => {
    const path = join(mkdtempSync(join(tmpdir(), 'turnwise-')), 'lines');
    const open = (): AppendOnceFile => new AppendOnceFile(path, keyOf);
    if (before.length > 0) await open().append(lines(...before));
    const { frozen, thaw } = freezeAt(at);
    const done = work(open());
    await Promise.race([frozen, done]);
    goOn();
    await meanwhile(open());
    thaw();
    await done;
    // Nothing that it needed on the way is left.
    expect(readdirSync(dirname(path))).toEqual(existsSync(path) ? ['lines'] : []);
    return readFileSync(path, 'utf8').split('\n').slice(0, -1);
  };

  it.each(instants)('at operation %d, adds no line that another process has added', async (at) => {
    for (const before of [[], ['x1']]) {
      const found = await frozenWhile(
        at,
        before,
        (file) => file.append(lines('a1', 'b1')),
        async (file) => {
          await file.append(lines('b1', 'a1'));
          await file.append(lines('c1'));
        },
      );
      expect(found.toSorted()).toEqual([...before, 'a1', 'b1', 'c1'].toSorted());
    }
  });

  it.each(instants)('at operation %d, brings no line back that was removed', async (at) => {
    let isCurrent = true;
    const found = await frozenWhile(
      at,
      ['a1', 'x1'],
      (file) =>
        file.append(lines('a1', 'b1'), ({ line }) => Promise.resolve(line === 'b1' || isCurrent)),
      async (file) => {
        const isOld = (line: string): boolean => line === 'a1';
        await file.remove(isOld);
        isCurrent = false;
        await file.remove(isOld);
        await file.append(lines('a2'));
      },
    );
    expect(found.toSorted()).toEqual(['a2', 'b1', 'x1']);
  });

  it.each(instants)('at operation %d of a removal, takes no line of others along', async (at) => {
    const found = await frozenWhile(
      at,
      ['a1', 'x1'],
      (file) => file.remove((line) => line === 'a1'),
      async (file) => {
        await file.append(lines('b1'));
        await file.remove((line) => line === 'a1');
        await file.append(lines('a2', 'c1'));
      },
    );
    expect(found.toSorted()).toEqual(['a2', 'b1', 'c1', 'x1']);
  });

  it('and killed after it said what comes next, has it done by the next one', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'turnwise-')), 'lines');
    const open = (): AppendOnceFile => new AppendOnceFile(path, keyOf);
    await open().append(lines('x1'));
    // Every instant once: what is frozen never goes on.
    for (const at of instants) {
      const key = String.fromCharCode('a'.charCodeAt(0) + at);
      const { frozen } = freezeAt(at);
      await Promise.race([frozen, open().append(lines(`${key}1`))]);
      goOn();
      await open().append(lines(`${key}1`, `${key.toUpperCase()}1`));
    }
    const found = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    expect(new Set(found).size).toBe(found.length);
    expect(found).toHaveLength(1 + 2 * instants.length);
  });
});

describe('an append whose disk fails', () => {
  const writes = ['appendFile', 'writeFile', 'write', 'link', 'rename'];

  /** From its write number `at` on, every write fails. The first one that fails on an open file has written a half. */
  function failFrom(at: number, path: string, halves: boolean): void {
    let count = 0;
    freezer.before = (operation) => {
      if (!writes.includes(operation)) return Promise.resolve();
      count += 1;
      if (count < at) return Promise.resolve();
      if (halves && count === at && operation === 'write') appendFileSync(path, 'h');
      return Promise.reject(Object.assign(new Error('disk full'), { code: 'ENOSPC' }));
    };
  }
  const cases = [1, 2, 3, 4, 5, 6].flatMap((at) => [true, false].map((halves) => ({ at, halves })));

  it.each(cases)('from write $at on (halves: $halves), leaves only the file', async (how) => {
    for (const before of ['x1\n', 'x1\n?\n', 'x1\ny']) {
      const path = join(mkdtempSync(join(tmpdir(), 'turnwise-')), 'lines');
      writeFileSync(path, before);
      const works: readonly ((file: AppendOnceFile) => Promise<void>)[] = [
        (file) => file.append(lines('a1')),
        (file) => file.remove((line) => line === 'a1'),
        (file) => file.replace('x1\n'),
      ];
      for (const work of works) {
        const was = readFileSync(path, 'utf8');
        failFrom(how.at, path, how.halves);
        await work(new AppendOnceFile(path, keyOf)).catch(() => undefined);
        goOn();
        const rest = readdirSync(dirname(path)).filter((name) => name !== 'lines');
        // What was settled and not begun is what the next append begins with: somebody may be about to write it.
        const isBegun = readFileSync(path, 'utf8') !== was;
        expect(rest.filter((name) => isBegun || !name.endsWith('.next'))).toEqual([]);
        await new AppendOnceFile(path, keyOf).append(lines('a1'));
        expect(readdirSync(dirname(path))).toEqual(['lines']);
        // Spaces fill up a line that stands where an incomplete one was.
        expect(readFileSync(path, 'utf8').replaceAll(/ +$/gm, '')).toBe('x1\na1\n');
      }
    }
  });

  it('leaves nothing of a removal that cannot be put in place', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'turnwise-')), 'lines');
    writeFileSync(path, 'a1\nx1\n');
    freezer.before = (operation) =>
      operation === 'rename' ? Promise.reject(new Error('EIO')) : Promise.resolve();
    await expect(new AppendOnceFile(path, keyOf).remove((line) => line === 'a1')).rejects.toThrow();
    expect(readdirSync(dirname(path))).toEqual(['lines']);
    expect(readFileSync(path, 'utf8')).toBe('a1\nx1\n');
  });
});
