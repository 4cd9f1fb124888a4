import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { diskUse, freeDisk, type DiskUse } from '../../../../client/runs/removal/disk-use.js';
import { diskSection, unneededText } from '../../../../client/commands/disk.js';
import { runIdSchema, storeNameSchema, type StoreName } from '../../../../domain/ids.js';
import type { RunManifest } from '../../../../domain/runs/run-manifest.js';
import { databaseIdSchema } from '../../../../domain/stores/database.js';
import type { StoreManifest } from '../../../../domain/stores/store-manifest.js';
import { openRunFiles } from '../../../../storage/runs/run-files.js';
import { sectionText } from '../../../support/commands/section-text.js';
import { exampleManifest } from '../../../support/runs/example-manifest.js';

const day = 24 * 3600_000;
const longAgo = new Date(Date.now() - 15 * day);

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'turnwise-disk-'));
});

const settings = () => ({
  TURNWISE_HOME: home,
  TURNWISE_STORAGE: undefined,
  TURNWISE_CACHE: join(home, 'engines'),
});

/** @param usedAt - when it was last written or used */
function put(path: string, content: string | object, usedAt = new Date()): void {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  utimesSync(file, usedAt, usedAt);
}

const digits = (digit: string, count = 32): string => digit.repeat(count);
const content = (digit: string, bytes: number) => ({ sha256: digits(digit, 64), bytes });

function putDatabase(digit: string, name: string, usedAt: Date): void {
  const id = digits(digit);
  put(`databases/${id}/data.duckdb`, 'x'.repeat(1000), usedAt);
  const description = { id, name, tables: [], searched: [], content: content(digit, 1000) };
  put(`databases/${id}/database.json`, description, usedAt);
}

const store = storeNameSchema.parse('mine');

/** A generation whose files are as large as they say. */
function putGeneration(generation: number, digit: string, more: Partial<StoreManifest> = {}): void {
  const files = { tables: content(digit, 500), bm25: content('e', 100) };
  const manifest: StoreManifest = {
    ...{ name: store, key: 'k1', generation, fingerprint: `f${generation}` },
    ...{ builtAt: '2026-01-01T00:00:00.000Z', papers: [], collections: [], files },
    ...more,
  };
  put(`stores/mine/generations/${generation}-k1.json`, manifest);
  put(`stores/mine/files/${files.tables.sha256}/mine.duckdb`, 'x'.repeat(500));
  put(`stores/mine/files/${files.bm25.sha256}/bm25.json`, 'x'.repeat(100));
}

async function putRun(run: string, more: Partial<RunManifest>): Promise<void> {
  const manifest = { ...exampleManifest(), run: runIdSchema.parse(run), ...more };
  await openRunFiles(home).saveManifest(manifest);
}

const used = async (): Promise<ReadonlyMap<string, DiskUse>> =>
  new Map((await diskUse(settings())).map((use) => [use.name, use]));

const unneededIn = (uses: ReadonlyMap<string, DiskUse>): string[] =>
  [...uses.values()].filter(({ unneeded }) => unneeded !== null).map(({ name }) => name);

const noStores = (asked: StoreName): Promise<void> =>
  Promise.reject(new Error(`not asked for: ${asked}`));

describe('what takes space', () => {
  it('is nothing in a new home', async () => {
    expect(await diskUse(settings())).toEqual([]);
    expect(sectionText(diskSection([]))).toBe('nothing takes any space');
  });

  it('is listed with size, files and users, the largest first', async () => {
    putDatabase('a', 'shop', longAgo);
    putGeneration(1, 'b');
    putGeneration(2, 'c');
    put('stores/mine/papers/p.pdf', 'x'.repeat(3000));
    const id = databaseIdSchema.parse(digits('a'));
    await putRun('first', { databases: { key: { kind: 'imported', id } } });
    for (const [path, bytes] of Object.entries({
      'temporal/temporal.db': 900,
      'milvus/x': 800,
      'logs/worker.log': 700,
      'cache/ab/ab.json': 600,
      'cache/objects/stores/x': 400,
      'engines/temporal/temporal': 20_000,
      'drafts/x': 50,
      'datasets/d/build.json': 40,
      'somebody/elses': 1,
    }))
      put(path, 'x'.repeat(bytes));
    const uses = await used();
    expect([...uses.keys()][0]).toBe('engines');
    expect(uses.get(`database shop (${id})`)).toMatchObject({
      ...{ objects: 2, usedBy: ['run first'], unneeded: null },
    });
    expect(uses.get('store mine')).toMatchObject({ bytes: expect.any(Number) as number });
    expect(uses.get('store mine, generation 1')).toMatchObject({ objects: 2, bytes: 500 });
    expect(uses.get('run first')).toMatchObject({ objects: 1 });
    expect(uses.get('local copies of objects')).toMatchObject({ objects: 1, bytes: 400 });
    expect(uses.get('cache of replies and embeddings')).toMatchObject({ objects: 1, bytes: 600 });
    expect([...uses.keys()].some((name) => name.includes('somebody'))).toBe(false);
    expect(uses.size).toBe(12);
    const text = sectionText(diskSection([...uses.values()]));
    expect(text).toMatch(/database shop \(a+\) +\d+ kB +2 +run first/);
    expect(text).toContain('`turnwise disk --free` removes that');
  });

  it('counts all of a store once', async () => {
    putGeneration(1, 'b');
    putGeneration(2, 'c');
    const uses = await used();
    const bytes = ['store mine', 'store mine, generation 1'].map((name) => uses.get(name)?.bytes);
    const manifests = readdirSync(join(home, 'stores/mine/generations')).length;
    expect(manifests).toBe(2);
    // Three files of 500, 500 and 100 bytes, and two manifests.
    expect((bytes[0] ?? 0) + (bytes[1] ?? 0)).toBeGreaterThan(1100);
    expect(bytes[1]).toBe(500);
  });
});

describe('what nobody needs', () => {
  it('is a database of no run and no store that was not used for a day', async () => {
    for (const [digit, name, at] of [
      ['a', 'of-run', longAgo],
      ['b', 'of-store', longAgo],
      ['c', 'new', new Date()],
      ['d', 'old', longAgo],
    ] as const)
      putDatabase(digit, name, at);
    const id = databaseIdSchema.parse(digits('a'));
    await putRun('first', { databases: { key: { kind: 'imported', id } } });
    putGeneration(1, 'f', {
      database: {
        ...{ id: databaseIdSchema.parse(digits('b')), name: 'of-store', tables: [] },
        ...{ searched: [], sha256: digits('f', 64) },
      },
    });
    const before = await used();
    expect(unneededIn(before)).toEqual([`database old (${digits('d')})`]);
    expect(before.get(`database of-store (${digits('b')})`)?.usedBy).toEqual(['store mine']);
    const wanted = [...before.values()].filter(({ unneeded }) => unneeded !== null);
    expect(unneededText(wanted)).toMatch(/^what nobody needs of database old \(d+\) \(1 kB\)$/);

    const removed = await freeDisk(settings(), wanted, noStores);
    expect(removed.map(({ name }) => name)).toEqual([`database old (${digits('d')})`]);
    expect(readdirSync(join(home, 'databases')).map((name) => name[0])).toEqual(['a', 'b', 'c']);
  });

  it('is what a killed import has left', async () => {
    put(`databases/.${digits('a')}.host.1/data.duckdb`, 'x');
    expect(unneededIn(await used())).toEqual([]);
    utimesSync(join(home, `databases/.${digits('a')}.host.1`), longAgo, longAgo);
    expect(unneededIn(await used())).toEqual([`damaged database (.${digits('a')}.host.1)`]);
  });

  it('are old drafts and local copies', async () => {
    const draft = (name: string): string => `${name}.11111111-2222-3333-4444-555555555555.tmp`;
    put(`drafts/${draft('old')}`, 'x'.repeat(10), longAgo);
    put(`drafts/${draft('new')}`, 'x');
    put(`cache/ab/${draft('old')}`, 'x'.repeat(20), longAgo);
    put('cache/objects/stores/mine/old', 'x'.repeat(30), longAgo);
    put('cache/objects/stores/mine/new', 'x');
    const uses = await used();
    const wanted = [...uses.values()].filter(({ unneeded }) => unneeded !== null);
    expect(wanted.map(({ unneeded }) => unneeded?.bytes).toSorted()).toEqual([10, 20, 30]);
    await freeDisk(settings(), wanted, noStores);
    expect(unneededIn(await used())).toEqual([]);
    expect(readdirSync(join(home, 'drafts'))).toEqual([draft('new')]);
    expect(readdirSync(join(home, 'cache/objects/stores/mine'))).toEqual(['new']);
  });

  it('is an old generation that no run is over', async () => {
    putGeneration(1, 'a');
    putGeneration(2, 'b');
    putGeneration(3, 'c');
    const { store: one } = exampleManifest();
    await putRun('over-two', { store: { ...one, name: store, fingerprint: 'f2' } });
    const uses = await used();
    expect(unneededIn(uses)).toEqual(['store mine, generation 1']);
    expect(uses.get('store mine, generation 2')?.usedBy).toEqual(['run over-two']);
    const freed: string[] = [];
    await freeDisk(settings(), [...uses.values()], (name, runs) => {
      freed.push(name, ...runs.map(({ run }) => run));
      return Promise.resolve();
    });
    expect(freed).toEqual(['mine', 'over-two']);
  });

  it('is no generation while papers are ingested', async () => {
    putGeneration(1, 'a');
    putGeneration(2, 'b');
    expect(unneededIn(await used())).toEqual(['store mine, generation 1']);
    put('stores/mine/draft.json', {
      ...{ name: store, key: 'k1', generation: 3, fingerprint: 'f3', builtAt: '', papers: [] },
      ...{ collections: [], files: {} },
    });
    expect(unneededIn(await used())).toEqual([]);
  });

  it('is not what somebody has begun to use while the user was asked', async () => {
    putDatabase('a', 'shop', longAgo);
    const wanted = [...(await used()).values()];
    const id = databaseIdSchema.parse(digits('a'));
    await putRun('first', { databases: { key: { kind: 'imported', id } } });
    expect(await freeDisk(settings(), wanted, noStores)).toEqual([]);
    expect(existsSync(join(home, 'databases', digits('a'), 'data.duckdb'))).toBe(true);
  });
});
