import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { IngestionPorts } from '../../../activities/ingestion/ingestion.js';
import { createCheckStore } from '../../../activities/ingestion/check-store.js';
import { storeNameSchema } from '../../../domain/ids.js';
import { startSimulatedModel, type SimulatedModel } from '../../../simulator/simulated-model.js';
import { withPictures } from '../../../worker/adapters/embedders.js';
import { connectMilvus, type Milvus } from '../../../worker/adapters/milvus/client.js';
import { createMilvusSearch } from '../../../worker/adapters/milvus/search.js';
import { createVllmPictureEmbedder } from '../../../worker/adapters/model-apis/embedder.js';
import { compiledEntry } from '../../support/commands/compiled-entry.js';
import { runActivity } from '../../support/run-activity.js';
import { ingestLocally } from '../../support/stores/local-ingestion.js';
import { startMilvusLite, type TestMilvus } from '../../../bench/servers/local-server.js';
import { readRows } from '../../support/stores/read-rows.js';
import { storePorts, testEmbedders } from '../../support/stores/store-ports.js';
import { storedFile, storedManifest } from '../../support/stores/store-commands.js';
import { placeAt } from '../../support/stores/place-at.js';

const home = mkdtempSync(join(tmpdir(), 'turnwise-pictures-'));
const store = storeNameSchema.parse('papers');
const never = new AbortController().signal;
const { entry: thread, remove } = compiledEntry('worker/adapters/pdfium/pdfium-thread.ts');

let milvus: TestMilvus;
let connected: Milvus;
let model: SimulatedModel;
let ports: IngestionPorts;

beforeAll(async () => {
  milvus = await startMilvusLite();
  connected = connectMilvus({ address: milvus.address });
  model = await startSimulatedModel({ script: { questions: [] } });
  const pictureEmbedder = createVllmPictureEmbedder({
    baseUrl: model.url,
    model: 'openai/clip-vit-base-patch32',
    apiKey: undefined,
    keyIsFor: model.url,
  });
  ports = storePorts(home, connected, thread, pictureEmbedder);
});
afterAll(async () => {
  await model.close();
  await connected.close();
  await milvus.remove();
  remove();
  rmSync(home, { recursive: true, force: true });
});

it('a store has a collection of the pictures of its figures and tables', async () => {
  const paper = join(home, 'paper.pdf');
  copyFileSync('examples/papers/tables-first.pdf', paper);
  await ingestLocally(ports, store, [paper]);
  const [cells] = await readRows(
    storedFile(home, store, 'tables'),
    'SELECT (SELECT count(*) FROM images) + (SELECT count(*) FROM tables) AS cells',
  );
  const pictures = storedManifest(home, store).collections[2];
  expect(pictures).toEqual({
    name: 'image_vllm_clip_vit_base_patch32',
    embedder: 'vllm/openai/clip-vit-base-patch32',
    metric: 'COSINE',
    vector: { kind: 'dense', dimensions: expect.any(Number) as number },
    rows: Number(cells?.['cells']),
  });
  expect(pictures?.rows).toBeGreaterThan(1);
});

it('finds pictures, with their boxes, and filters by them', async () => {
  const search = createMilvusSearch({
    milvus: connected,
    embedders: withPictures(testEmbedders, ports.pictureEmbedder),
    ...placeAt(home),
  });
  const request = {
    store,
    collection: 'image_vllm_clip_vit_base_patch32',
    query: 'a bar chart',
    filter: "table_name == 'images' and bbox[3] > 0",
    limit: 1,
    timeoutMs: 20_000,
  };
  expect(await search.search(request, never)).toMatchObject({
    kind: 'hits',
    hits: [
      {
        tableName: 'images',
        columnName: 'bounding_box',
        box: [0, 1, 2, 3].map(() => expect.any(Number) as number),
      },
    ],
  });
});

it('agrees with itself', async () => {
  const check = createCheckStore(ports);
  const { findings } = await runActivity(check, { store }, {});
  expect(findings).toEqual([]);
});
