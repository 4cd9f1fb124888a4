import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createIngestionActivities } from '../../../activities/ingestion/ingestion.js';
import { dropStore, isStoreFolder } from '../../../client/runs/stores/store-workflows.js';
import { listStores } from '../../../client/runs/stores/store-files.js';
import { ingestionWorkflowId, runWorkflowId } from '../../../domain/ids.js';
import { openRunFiles } from '../../../storage/runs/run-files.js';
import { workflowNames } from '../../../workflows/messages.js';
import { runActivity } from '../../support/run-activity.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';
import { startCheckedStore, type CheckedStore } from '../../support/stores/checked-store.js';
import { ingestLocally } from '../../support/stores/local-ingestion.js';
import { testHome } from '../../support/test-home.js';
import { placeOf } from '../../support/stores/place-at.js';
import { manifestPath } from '../../support/stores/store-commands.js';

let checked: CheckedStore;
beforeAll(async () => {
  checked = await startCheckedStore();
});
beforeEach(() => checked.ingest());
afterAll(() => checked.stop());

const drop = (): ReturnType<typeof dropStore> =>
  dropStore({ client: checked.client }, checked.environment, checked.store);

async function expectNothingLeft(): Promise<void> {
  expect(await isStoreFolder(placeOf(checked.home), checked.store)).toBe(false);
}

describe('the removal of a store', () => {
  it('leaves no file and no collection of any generation', async () => {
    await checked.ports.collections.create(
      { ...checked.manifest(), generation: 77 },
      { name: 'image_clip', embedder: 'clip', metric: 'IP', vector: { kind: 'sparse' } },
    );
    expect(await drop()).toEqual({ collections: 3 });
    await expectNothingLeft();
    expect(await checked.collections()).toEqual([]);
  });

  it.each([
    [
      'of another version, which still says its key',
      (json: string) => json.replace('"papers":', '"files":'),
    ],
    ['that is no JSON', (json: string) => json.slice(9)],
  ])('removes a store with a manifest %s', async (_what, damage) => {
    const path = manifestPath(checked.home, checked.store) ?? '';
    writeFileSync(path, damage(readFileSync(path, 'utf8')));
    expect(await drop()).toEqual({ collections: 2 });
    await expectNothingLeft();
    expect(await checked.collections()).toEqual([]);
  });

  it('leaves other stores alone', async () => {
    const { ports, files, home } = checked;
    const other = checked.otherStore;
    await ingestLocally(ports, other, [files.bakery]);
    await drop();
    expect((await listStores(placeOf(home))).map(({ name }) => name)).toEqual([other]);
    const [left] = await listStores(placeOf(home));
    expect(left && (await ports.collections.exist(left))).toBe(true);
    await dropStore({ client: checked.client }, checked.environment, other);
    expect(await checked.collections()).toEqual([]);
  });

  // The steps that change anything: the manifest, two collections, the files.
  it.each([1, 2, 3, 4, 5])('is completed by the next one when it dies at step %d', async (step) => {
    const { ports, home, store } = checked;
    let steps = 0;
    const dying =
      <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) =>
      (...args: Args): Promise<T> =>
        ++steps < step ? call(...args) : Promise.reject(new Error('killed'));
    const { contents, collections } = ports;
    const activities = createIngestionActivities({
      ...ports,
      contents: {
        ...contents,
        withdraw: dying(contents.withdraw),
        remove: dying(async (name) => {
          await contents.removeFile(name, 'files/');
          return dying(contents.remove)(name);
        }),
      },
      collections: { ...collections, drop: dying(collections.drop) },
    });
    await expect(runActivity(activities.dropStore, { store })).rejects.toThrow('killed');
    expect(await listStores(placeOf(home))).toHaveLength(step === 1 ? 1 : 0);
    await drop();
    await expectNothingLeft();
    expect(await checked.collections()).toEqual([]);
  });

  it('that was cut off gives way to an ingestion, which leaves nothing of the old store', async () => {
    const { ports, store, files } = checked;
    await checked.ports.contents.withdraw(store);
    await ingestLocally(ports, store, [files.bakery]);
    expect(checked.manifest().papers).toHaveLength(1);
    expect((await checked.check()).found.findings).toEqual([]);
    expect(readdirSync(checked.fileOf('.')).sort()).toEqual(['files', 'generations', 'papers']);
    await drop();
    expect(await checked.collections()).toEqual([]);
  });

  it('is refused while an ingestion works on the store, which it names', async () => {
    const { client, store } = checked;
    // Nobody serves this queue.
    const handle = await client.workflow.start(workflowNames.ingestPapers, {
      workflowId: ingestionWorkflowId(testHome, store),
      taskQueue: 'nobody',
      args: [{ ingestion: { store, id: randomUUID() }, pages: 1 }],
    });
    await expect(drop()).rejects.toThrow('an ingestion into store papers is under way');
    await handle.terminate();
    expect(existsSync(checked.storedFile('tables'))).toBe(true);
    await drop();
    await expectNothingLeft();
  });

  it('is refused while a run asks over the store, which it names', async () => {
    const { client, home, store } = checked;
    const { name, fingerprint, collections } = checked.manifest();
    const manifest = { ...exampleManifest(), store: { name, fingerprint, collections } };
    await openRunFiles(home).saveManifest({ ...manifest, status: 'running' });
    const handle = await client.workflow.start(workflowNames.runDataset, {
      workflowId: runWorkflowId(testHome, manifest.run),
      taskQueue: 'nobody',
      args: [{}],
    });
    await expect(drop()).rejects.toThrow(
      `run ${manifest.run} uses store ${store}: let it end, or end it with \`turnwise cancel ${manifest.run}\``,
    );
    await handle.terminate();
    await drop();
    await expectNothingLeft();
  });
});
