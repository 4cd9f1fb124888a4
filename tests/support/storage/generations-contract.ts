import { mkdtempSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { storeNameSchema } from '../../../domain/ids.js';
import {
  draftFile,
  generationFile,
  storeFolder,
  type StoreManifest,
} from '../../../domain/stores/store-manifest.js';
import type { ObjectStorage } from '../../../storage/objects.js';
import type { StorePlace } from '../../../storage/stores/store-place.js';
import { placeIn } from './afar.js';

const store = storeNameSchema.parse('papers');

/** What generations of stores do in every storage. @param make - gives an empty place, opened as often as it is called */
export function generationsContract(make: () => () => ObjectStorage): void {
  let storage: ObjectStorage;
  let open: () => StorePlace;
  let [one, other]: readonly StorePlace[] = [];
  const newHome = (): string => mkdtempSync(join(tmpdir(), 'turnwise-machine-'));

  beforeEach(() => {
    const openStorage = make();
    storage = openStorage();
    open = () => placeIn(openStorage(), newHome());
    [one, other] = [open(), open()];
  });
  const machines = (): readonly [StorePlace, StorePlace] => {
    if (one === undefined || other === undefined) throw new Error('made before each test');
    return [one, other];
  };

  /** Builds a generation on a machine, as an ingestion does. */
  async function build(
    { generations }: StorePlace,
    generation: number,
    tables = `tables ${generation}`,
  ): Promise<StoreManifest> {
    const made = join(newHome(), 'made');
    writeFileSync(made, tables);
    const file = await generations.add(store, 'tables', made);
    const model = join(newHome(), 'made');
    writeFileSync(model, '{}');
    const manifest: StoreManifest = {
      ...{ name: store, key: 'k1', generation, fingerprint: `of ${tables}`, builtAt: '' },
      ...{ papers: [], collections: [] },
      files: { tables: file, bm25: await generations.add(store, 'bm25', model) },
    };
    await generations.writeDraft(manifest);
    return manifest;
  }
  const tablesOf = async ({ generations }: StorePlace, manifest: StoreManifest): Promise<string> =>
    readFileSync(await generations.file(manifest, 'tables'), 'utf8');

  it('are absent before the first is published', async () => {
    const [{ generations }] = machines();
    await build(machines()[0], 1);
    expect([await generations.current(store), await generations.all(store)]).toEqual([null, []]);
    await expect(generations.holding({ store })).rejects.toMatchObject({ type: 'StoreMissing' });
    expect(await generations.draft(store)).toMatchObject({ generation: 1 });
  });

  it('are read by another machine when they are published', async () => {
    const [here, there] = machines();
    const manifest = await build(here, 1);
    await here.generations.publish(manifest);
    expect(await there.generations.stores()).toEqual([store]);
    expect(await there.generations.current(store)).toEqual(manifest);
    expect(await there.generations.isWhole(manifest)).toBe(true);
    expect(await there.generations.draft(store)).toBeNull();
    expect(await tablesOf(there, manifest)).toBe('tables 1');
  });

  it('stay what they were for whoever began with them', async () => {
    const [here, there] = machines();
    await here.generations.publish(await build(here, 1));
    await here.generations.publish(await build(here, 2));
    const older = await there.generations.holding({ store, fingerprint: 'of tables 1' });
    expect([older.generation, await tablesOf(there, older)]).toEqual([1, 'tables 1']);
    const newest = await there.generations.holding({ store });
    expect([newest.generation, await tablesOf(there, newest)]).toEqual([2, 'tables 2']);
    await expect(
      there.generations.holding({ store, fingerprint: 'of others' }),
    ).rejects.toMatchObject({ type: 'StoreChanged' });
  });

  it('of equal contents are taken for one another when one is gone', async () => {
    const [here, there] = machines();
    const first = await build(here, 1, 'same');
    await here.generations.publish(first);
    const asked = { store, fingerprint: 'of same' };
    expect((await there.generations.holding(asked)).generation).toBe(1);
    await here.generations.publish(await build(here, 2, 'same'));
    await storage.remove(`${storeFolder(store)}/${generationFile(first)}`);
    expect((await there.generations.holding(asked)).generation).toBe(1);
    there.generations.forget(store);
    expect((await there.generations.holding(asked)).generation).toBe(2);
  });

  describe('published', () => {
    it('by several at once are one, and the others are told', async () => {
      const [here, there] = machines();
      const mine = await build(here, 1, 'mine');
      const theirs = await build(there, 1, 'theirs');
      const results = await Promise.allSettled([
        here.generations.publish(mine),
        there.generations.publish(theirs),
      ]);
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const failed = results.find((result) => result.status === 'rejected');
      expect(failed?.reason).toMatchObject({ type: 'IngestionLost' });
      expect(await here.generations.all(store)).toHaveLength(1);
    });

    it('again after a crash change nothing', async () => {
      const [here, there] = machines();
      const manifest = await build(here, 1);
      await here.generations.publish(manifest);
      // As it is after a crash between the two steps of `publish`.
      await here.generations.writeDraft(manifest);
      const draft = await there.generations.draft(store);
      if (draft === null) throw new Error('the draft was written');
      await there.generations.publish(draft);
      expect(await there.generations.draft(store)).toBeNull();
      expect(await here.generations.all(store)).toEqual([manifest]);
    });

    it('late, by a process that was frozen, do not become those in use', async () => {
      const [here, there] = machines();
      const late = await build(there, 1);
      await here.generations.publish(late);
      const current = await build(here, 2);
      await here.generations.publish(current);
      await storage.remove(`${storeFolder(store)}/${generationFile(late)}`);
      await there.generations.publish(late);
      expect(await here.generations.current(store)).toEqual(current);
    });
  });

  it('leave the storage with what the manifest names, and a draft', async () => {
    const [here] = machines();
    const manifest = await build(here, 1);
    await here.generations.publish(manifest);
    await build(here, 2);
    const names = await storage.list(storeFolder(store));
    expect(names.toSorted()).toEqual([draftFile, 'files/', 'generations/']);
    // The tables of two generations, whose BM25 models are equal.
    expect(await storage.list(`${storeFolder(store)}/files`)).toHaveLength(3);
  });

  it('are whole only with all their files', async () => {
    const [here] = machines();
    const manifest = await build(here, 1);
    const { tables } = manifest.files;
    expect(await here.generations.isWhole({ ...manifest, files: {} })).toBe(false);
    await storage.removeFolder(`${storeFolder(store)}/files/${tables?.sha256 ?? ''}`);
    expect(await here.generations.isWhole(manifest)).toBe(false);
  });

  describe('in the copies of a machine', () => {
    const isAfar = (): boolean => storage.fileOf('') === null;

    it('are used where they are in a folder, and fetched once from an object store', async () => {
      const [here, there] = machines();
      const manifest = await build(here, 1);
      await here.generations.publish(manifest);
      const paths = await Promise.all(
        [1, 2, 3].map(() => there.generations.file(manifest, 'tables')),
      );
      expect(new Set(paths).size).toBe(1);
      const inStorage = storage.fileOf(`${storeFolder(store)}/files`);
      expect(inStorage !== null && paths[0]?.startsWith(inStorage)).toBe(!isAfar());
      if (!isAfar()) return;
      await storage.removeFolder(`${storeFolder(store)}/files`);
      expect(await tablesOf(there, manifest)).toBe('tables 1');
    });

    it('are fetched again where they are damaged, also by a new process', async () => {
      const [here, there] = machines();
      const manifest = await build(here, 1);
      await here.generations.publish(manifest);
      if (!isAfar()) return;
      const path = await there.generations.file(manifest, 'tables');
      for (const damage of [
        () => writeFileSync(path, 'tables X'),
        () => truncateSync(path, 3),
        () => writeFileSync(path, ''),
      ]) {
        damage();
        expect(await tablesOf(there, manifest)).toBe('tables 1');
        damage();
        expect(await tablesOf(placeIn(there.storage, homeOf(there)), manifest)).toBe('tables 1');
      }
      expect(readdirSync(join(path, '..'))).toEqual(['papers.duckdb']);
    });

    it('are refused where the storage has lost or changed them', async () => {
      const [here, there] = machines();
      const manifest = await build(here, 1);
      const { tables } = manifest.files;
      const path = `${storeFolder(store)}/files/${tables?.sha256 ?? ''}/papers.duckdb`;
      if (!isAfar()) return;
      await storage.write(path, 'tables X');
      await expect(there.generations.file(manifest, 'tables')).rejects.toMatchObject({
        type: 'StoreMissing',
        message: expect.stringContaining('is damaged') as unknown,
      });
      await storage.remove(path);
      await expect(there.generations.file(manifest, 'tables')).rejects.toMatchObject({
        type: 'StoreMissing',
        message: expect.stringContaining('is missing') as unknown,
      });
    });

    it('are fetched by two processes at once', async () => {
      const [here, there] = machines();
      const manifest = await build(here, 1, 'x'.repeat(100_000));
      const again = placeIn(there.storage, homeOf(there));
      const [a, b] = await Promise.all([tablesOf(there, manifest), tablesOf(again, manifest)]);
      expect([a.length, b]).toEqual([100_000, a]);
    });
  });

  /** The home whose copies a place uses. */
  const homeOf = ({ importFolder }: StorePlace): string => join(importFolder, '..', '..');
}
