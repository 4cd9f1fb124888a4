import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { KeyedLine } from '../../../storage/append-once-file.js';
import { type LineLog, type ObjectStorage, readText } from '../../../storage/objects.js';

/** Opens one empty place as often as it is called, each time as another process would. */
type OpenStorage = () => ObjectStorage;

/** What every adapter of ObjectStorage must do. `make` gives an empty place for each test. */
export function storageContract(make: () => OpenStorage): void {
  let open: OpenStorage;
  let storage: ObjectStorage;
  beforeEach(() => {
    open = make();
    storage = open();
  });

  describe('objects', () => {
    it('are absent before they are written, and whole afterwards', async () => {
      expect(await storage.read('runs/a/x.json')).toBeNull();
      expect(await storage.version('runs/a/x.json')).toBeNull();
      await storage.write('runs/a/x.json', 'größte\n');
      await storage.write('runs/a/bytes', new Uint8Array([0, 255, 7]));
      expect(await readText(open(), 'runs/a/x.json')).toBe('größte\n');
      expect([...((await open().read('runs/a/bytes')) ?? [])]).toEqual([0, 255, 7]);
    });

    it('are read in parts', async () => {
      expect(await storage.readRange('x', 0, 3)).toBeNull();
      await storage.write('x', 'one two');
      const part = async (start: number, end: number): Promise<string> =>
        Buffer.from((await open().readRange('x', start, end)) ?? []).toString();
      expect(await part(0, 3)).toBe('one');
      expect(await part(4, 5)).toBe('t');
      expect(await part(4, 100)).toBe('two');
    });

    it('have another version once they have changed, and their size', async () => {
      await storage.write('x', 'one');
      const before = await storage.version('x');
      expect(before).toMatchObject({ bytes: 3 });
      expect(await open().version('x')).toEqual(before);
      await storage.write('x', 'two!');
      const after = await open().version('x');
      expect(after?.bytes).toBe(4);
      expect(after?.version).not.toBe(before?.version);
    });

    it('are created once: of twenty at the same time one wins', async () => {
      const racers = Array.from({ length: 20 }, (_, index) => `by ${index}`);
      const won = await Promise.all(racers.map((text) => open().create('a/b/c', text)));
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await readText(storage, 'a/b/c')).toBe(racers[won.indexOf(true)]);
      expect(await storage.create('a/b/c', 'late')).toBe(false);
    });

    it('are gone once they are removed, also where there were none', async () => {
      await storage.write('a/x', 'one');
      await storage.remove('a/x');
      await storage.remove('a/x');
      expect(await storage.read('a/x')).toBeNull();
      expect(await storage.create('a/x', 'again')).toBe(true);
    });

    it('are listed by the folder they are directly in', async () => {
      expect(await storage.list('a')).toEqual([]);
      expect(await storage.storedAtMs('a')).toBeNull();
      for (const path of ['a/x', 'a/y', 'a/b/z', 'ab/x']) await storage.write(path, path);
      expect((await open().list('a')).toSorted()).toEqual(['b/', 'x', 'y']);
      expect(await storage.storedAtMs('a')).toBeGreaterThan(0);
    });

    it('are all listed, however many', async () => {
      const names = Array.from({ length: 1_100 }, (_, index) => String(index));
      await Promise.all(names.map((name) => storage.write(`many/${name}`, '')));
      expect((await storage.list('many')).toSorted()).toEqual(names.toSorted());
    });
  });

  describe('folders', () => {
    it('are counted with all that is in them, and nothing beside them', async () => {
      expect(await storage.contents('runs/a')).toEqual({ objects: 0, bytes: 0 });
      for (const path of ['runs/a/x', 'runs/a/b/y', 'runs/a/b/c/z', 'runs/ab/x', 'runs/a.json'])
        await storage.write(path, 'four');
      expect(await open().contents('runs/a')).toEqual({ objects: 3, bytes: 12 });
      expect(await open().contents('runs')).toEqual({ objects: 5, bytes: 20 });
    });

    it('are removed with all that is in them, and nothing beside them', async () => {
      for (const path of ['runs/a/x', 'runs/a/b/y', 'runs/ab/x', 'runs/a.json'])
        await storage.write(path, path);
      const log = storage.log('runs/a/log.jsonl', (line) => line);
      await log.append([{ key: 'one', line: 'one' }]);
      await open().removeFolder('runs/a');
      await open().removeFolder('runs/a');
      expect((await storage.list('runs')).toSorted()).toEqual(['a.json', 'ab/']);
      expect(await storage.read('runs/a/b/y')).toBeNull();
      // Also for a process that has appended to the log before.
      await log.append([{ key: 'one', line: 'one' }]);
      expect(
        await open()
          .log('runs/a/log.jsonl', (line) => line)
          .text(),
      ).toBe('one\n');
    });

    it('are counted and removed however much is in them', async () => {
      const names = Array.from({ length: 2_100 }, (_, index) => `many/${index % 7}/${index}`);
      await Promise.all(names.map((name) => storage.write(name, 'x')));
      expect(await storage.contents('many')).toEqual({ objects: 2_100, bytes: 2_100 });
      await storage.removeFolder('many');
      expect(await storage.contents('many')).toEqual({ objects: 0, bytes: 0 });
    });
  });

  describe('files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'turnwise-files-'));
    const [sent, got] = [join(folder, 'sent'), join(folder, 'got')];

    it('become objects and objects become files', async () => {
      expect(await storage.download('a/b', got)).toBe(false);
      for (const content of ['größte', '']) {
        writeFileSync(sent, content);
        await storage.upload('a/b', sent);
        expect(await readText(open(), 'a/b')).toBe(content);
        expect(await open().download('a/b', got)).toBe(true);
        expect(readFileSync(got, 'utf8')).toBe(content);
      }
      expect(existsSync(sent)).toBe(true);
      await storage.upload('a/c', sent, { move: true });
      expect(existsSync(sent)).toBe(false);
      expect(await readText(open(), 'a/c')).toBe('');
    });

    it('are objects where they are, or nowhere', async () => {
      await storage.write('a/b', 'x');
      const path = storage.fileOf('a/b');
      expect(path === null ? 'x' : readFileSync(path, 'utf8')).toBe('x');
    });
  });

  describe('logs', () => {
    const lines = (...keys: readonly string[]): readonly KeyedLine[] =>
      keys.map((key) => ({ key, line: `${key} line` }));
    const log = (from = storage) => from.log('runs/log.jsonl', (line) => line.split(' ')[0] ?? '');
    const keys = async (): Promise<readonly string[]> =>
      ((await log(open()).text()) ?? '')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => line.split(' ')[0] ?? '');

    it('are null before the first line', async () => {
      expect(await log().text()).toBeNull();
      await log().append([]);
      expect(await log().text()).toBeNull();
    });

    it('have each key once, whoever appended it', async () => {
      const one = log();
      await one.append(lines('a', 'b'));
      await log(open()).append(lines('b', 'c'));
      await one.append(lines('a', 'c', 'd'));
      await Promise.all([one.append(lines('e', 'f')), one.append(lines('f', 'e'))]);
      expect(await keys()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    });

    it('give up lines, which can be appended again', async () => {
      await log().append(lines('a', 'b'));
      await log().append(lines('c'));
      await log(open()).remove((line) => ['a line', 'c line'].includes(line));
      await log(open()).remove((line) => line === 'x line');
      expect(await keys()).toEqual(['b']);
      await log().append(lines('b', 'c'));
      expect(await keys()).toEqual(['b', 'c']);
    });

    it('ask again whether a line is current if the log changes before it is added', async () => {
      await log().append(lines('a'));
      const asked: string[] = [];
      await log().append(lines('b', 'c'), async ({ key }) => {
        asked.push(key);
        if (asked.length === 2) await log(open()).remove(() => false);
        return asked.length <= 2 || key === 'c';
      });
      expect(asked.slice(0, 4)).toEqual(['b', 'c', 'b', 'c']);
      expect(await keys()).toEqual(['a', 'c']);
    });

    it('can be replaced', async () => {
      await log().append(lines('a'));
      await log(open()).replace('b line\nc line\n');
      await log().append(lines('c', 'd'));
      expect(await keys()).toEqual(['b', 'c', 'd']);
    });

    it('lose damaged lines at the next append, whose keys can be appended again', async () => {
      const whole = (): LineLog =>
        storage.log('runs/log.jsonl', (line) => (line === '?' ? null : (line.split(' ')[0] ?? '')));
      await whole().append(lines('a', 'b'));
      await log().replace('a line\n?\nc line\n');
      await whole().append(lines('b', 'c'));
      expect((await keys()).toSorted()).toEqual(['a', 'b', 'c']);
    });

    it('keep their order through a hundred appends', async () => {
      const all = Array.from({ length: 100 }, (_, index) => `k${index}`);
      const one = log();
      for (const key of all) await one.append(lines(key));
      expect(await keys()).toEqual(all);
    });

    it('are read in parts, or from their end', async () => {
      expect(await log().tail(100)).toEqual({ lines: [], isAll: true });
      const names = Array.from(
        { length: 40 },
        (_, index) => `key${String(index).padStart(2, '0')}`,
      );
      for (const name of names) await log().append(lines(name));
      const all: string[] = [];
      for await (const some of log(open()).batches()) all.push(...some);
      expect(all).toEqual(names.map((name) => `${name} line`));
      expect(await log(open()).tail(1_000_000)).toEqual({ lines: all, isAll: true });
      const { lines: last, isAll } = await log(open()).tail(33);
      expect(isAll).toBe(false);
      expect(last.length).toBeGreaterThanOrEqual(2);
      expect(last).toEqual(all.slice(-last.length));
    });

    it('are read again and again, and each line is parsed once', async () => {
      const parsed: string[] = [];
      const reader = log(open()).reader((line, number) => {
        parsed.push(line);
        return `${number} ${line}`;
      });
      expect(await reader.read()).toEqual([]);
      await log().append(lines('a', 'b'));
      await reader.read();
      await log().append(lines('c'));
      expect(await reader.read()).toEqual(['1 a line', '2 b line', '3 c line']);
      expect(parsed).toEqual(['a line', 'b line', 'c line']);
      await log().remove((line) => line === 'b line');
      expect(await reader.read()).toEqual(['1 a line', '2 c line']);
    });
  });
}
