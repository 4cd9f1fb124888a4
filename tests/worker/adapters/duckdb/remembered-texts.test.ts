import { mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { storeNameSchema } from '../../../../domain/ids.js';
import { rememberTexts } from '../../../../worker/adapters/duckdb/tables.js';

const store = storeNameSchema.parse('papers');
const { signal } = new AbortController();

describe('texts that are remembered', () => {
  let file: string;
  let asked: (readonly string[])[];
  let said: string;
  beforeEach(() => {
    file = join(mkdtempSync(join(tmpdir(), 'turnwise-texts-')), 'papers.duckdb');
    writeFileSync(file, 'one');
    asked = [];
    said = 'text';
  });

  function remembering(): (keys: string[], columnName?: string) => Promise<unknown> {
    const texts = rememberTexts(
      ({ columnName, primaryKeys }) => {
        asked.push(primaryKeys);
        const there = primaryKeys.filter((key) => key !== 'gone');
        return Promise.resolve(new Map(there.map((key) => [key, `${said} ${columnName} ${key}`])));
      },
      () => Promise.resolve(file),
    );
    return async (primaryKeys, columnName = 'c') =>
      Object.fromEntries(await texts({ store, tableName: 't', columnName, primaryKeys }, signal));
  }

  it('are read once', async () => {
    const texts = remembering();
    expect(await texts(['a', 'b'])).toEqual({ a: 'text c a', b: 'text c b' });
    expect(await texts(['b', 'c'])).toEqual({ b: 'text c b', c: 'text c c' });
    expect(await texts(['c', 'a'])).toEqual({ a: 'text c a', c: 'text c c' });
    expect(asked).toEqual([['a', 'b'], ['c']]);
  });

  it('are those of their own column', async () => {
    const texts = remembering();
    await texts(['a']);
    expect(await texts(['a'], 'd')).toEqual({ a: 'text d a' });
  });

  it('stay absent where there are none, and are looked for again', async () => {
    const texts = remembering();
    expect([await texts(['gone']), await texts(['gone'])]).toEqual([{}, {}]);
    expect(asked).toEqual([['gone'], ['gone']]);
  });

  it('are read again from a store that was made anew', async () => {
    const texts = remembering();
    await texts(['a']);
    said = 'other text';
    writeFileSync(`${file}.new`, 'two');
    renameSync(`${file}.new`, file);
    expect(await texts(['a'])).toEqual({ a: 'other text c a' });
  });
});
