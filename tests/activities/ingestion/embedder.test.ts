import { expect, it, describe } from 'vitest';
import { createCopyDatabase } from '../../../activities/ingestion/import-database.js';
import { createPlanIngestion } from '../../../activities/ingestion/plan-ingestion.js';
import type { EmbedderPort } from '../../../activities/ports/model.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { FailureType } from '../../../domain/failure-type.js';
import { hashingName } from '../../../domain/embedders.js';
import { storeNameSchema } from '../../../domain/ids.js';
import { databaseFingerprint } from '../../../domain/stores/ingestion.js';
import { bm25Collection } from '../../../domain/stores/store-manifest.js';
import { runActivity } from '../../support/run-activity.js';
import { testEmbedders } from '../../support/stores/store-ports.js';

const store = storeNameSchema.parse('ovens');
const sha256 = 'a'.repeat(64);

/** An embedder that counts how often it was asked whether it can embed. */
function asked(failure: PortFailure | null = null, endpoint: string | null = null) {
  const requests: string[] = [];
  const embedder: EmbedderPort = {
    ...testEmbedders(hashingName),
    endpoint,
    ready: () => {
      requests.push('ready');
      return failure === null ? Promise.resolve() : Promise.reject(failure);
    },
  };
  return { requests, embedders: () => embedder };
}

/** Plans an ingestion of one PDF, which the store has or lacks. */
function plan(
  { embedders }: Pick<ReturnType<typeof asked>, 'embedders'>,
  has: boolean,
  embedder: string | null = 'x',
) {
  const ports = {
    embedders,
    ingestionFiles: {
      files: () => Promise.resolve([{ file: 'a.pdf', sha256 }]),
      savePlan: () => Promise.resolve(),
    },
    paperFiles: {
      beside: () => Promise.resolve(null),
      kept: () => Promise.resolve({ rows: {}, path: null }),
    },
    paperParsers: { find: () => Promise.resolve([]) },
    storeWriter: { manifest: () => Promise.resolve({ papers: has ? [{ sha256 }] : [] }) },
  };
  return runActivity(createPlanIngestion(ports as never), {
    ...{ ingestion: { store, id: 'i' } as never, page: 1 },
    ...(embedder !== null && { embedder }),
  });
}

const failing = (type: FailureType, endpoint: string | null) =>
  asked(new PortFailure(type, 'it cannot'), endpoint);

describe('an ingestion', () => {
  it('asks the embedder where a PDF is new, unless an earlier page had one', async () => {
    const embedder = asked();
    expect((await plan(embedder, false)).fresh).toHaveLength(1);
    expect(embedder.requests).toEqual(['ready']);
    await plan(embedder, false, null);
    expect(embedder.requests).toEqual(['ready']);
  });

  it('costs no request where the store has all of it', async () => {
    const embedder = asked();
    expect(await plan(embedder, true)).toMatchObject({ fresh: [], unchanged: 1 });
    expect(embedder.requests).toEqual([]);
  });

  it.each<[string, FailureType, string | null]>([
    ['the files of a model are not to be had', 'EmbedderUnavailable', null],
    ['an endpoint refuses the key', 'ModelRefusedKey', 'http://127.0.0.1:1/v1'],
  ])('is refused before anything is read where %s', async (_, type, endpoint) => {
    await expect(plan(failing(type, endpoint), false)).rejects.toMatchObject({
      ...{ type: 'EmbedderMissing', message: 'it cannot', nonRetryable: true },
    });
  });

  it('waits for an endpoint that has an outage', async () => {
    const outage = failing('EmbedderUnavailable', 'http://127.0.0.1:1/v1');
    await expect(plan(outage, false)).rejects.toMatchObject({ type: 'EmbedderUnavailable' });
  });
});

it.each([
  ['costs no request where the store has the database', hashingName, [], false],
  ['asks the embedder where it is another one', 'openai/small', ['ready'], true],
])('an import of a database %s', async (_, embedder, requests, isNew) => {
  const database = { id: 'd', sha256, searched: [{}], tables: [] };
  const names = [bm25Collection.embedder, hashingName];
  const fingerprint = databaseFingerprint(database as never, names);
  const held = { name: store, papers: [], database, fingerprint, files: { tables: 't' } };
  const counted = asked();
  const ports = {
    clock: { now: () => '' },
    collections: { exist: () => Promise.resolve(true) },
    embedders: counted.embedders,
    storedDatabases: { sha256: () => Promise.resolve(sha256), cells: async function* () {} },
    storeWriter: {
      manifest: () => Promise.resolve(held),
      draft: () => Promise.resolve(null),
      isWhole: () => Promise.resolve(true),
      writeDraft: () => Promise.resolve(),
      writeBm25: () => Promise.resolve('b'),
    },
  };
  const input = { store, database: 'd' as never, embedder };
  const info = { workflowExecution: { workflowId: 'ingestion', runId: 'a-b' } };
  expect(await runActivity(createCopyDatabase(ports as never), input, { info })).toBe(isNew);
  expect(counted.requests).toEqual(requests);
});
