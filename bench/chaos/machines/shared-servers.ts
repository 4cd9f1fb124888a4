import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { namedServer } from '../../../temporal/server-settings.js';
import { startMilvusLite, type TestMilvus } from '../../servers/milvus-lite.js';
import { startObjectServer, type ObjectServer } from '../../servers/object-server.js';
import { createNamespace, startOwnServer, type OwnServer } from '../../servers/own-server.js';

/** What machines share: Temporal over Postgres, Milvus and an object store, each by its address. */
export interface SharedServers {
  readonly temporal: OwnServer;
  readonly milvus: TestMilvus;
  readonly objects: ObjectServer;
  /** TURNWISE_STORAGE */
  readonly storage: string;
  /** The environment of a process that uses them. */
  readonly settings: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
}

/** @param folder - where Milvus and the object store keep their data */
export async function startSharedServers(folder: string): Promise<SharedServers> {
  const data = join(folder, 'servers');
  await mkdir(data);
  const [temporal, milvus, objects] = await Promise.all([
    startOwnServer(),
    startMilvusLite(data),
    startObjectServer(data),
  ]);
  const storage = `s3://${objects.bucket}/benchmarks`;
  const settings = {
    ...objects.environment,
    TURNWISE_STORAGE: storage,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: 'machines',
    MILVUS_ADDRESS: milvus.address,
  };
  const named = namedServer(settings);
  if (named === undefined) throw new Error('no server is named');
  await createNamespace(named, 1);
  return {
    ...{ temporal, milvus, objects, storage, settings },
    stop: async () => {
      await Promise.all([temporal.stop(), milvus.remove(), objects.stop()]);
    },
  };
}
