import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { namedServer } from '../../../temporal/server-settings.js';
import type { Log } from '../../benchmark.js';
import { ingestExamplePapers } from '../../example-store.js';
import { startMilvusLite, type TestMilvus } from '../../servers/milvus-lite.js';
import { startObjectServer, type ObjectServer } from '../../servers/object-server.js';
import { createNamespace, startOwnServer, type OwnServer } from '../../servers/own-server.js';
import type { Disks } from './disks.js';
import { MachinePark } from './machine-park.js';

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
async function startSharedServers(folder: string): Promise<SharedServers> {
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
    OPENAI_API_KEY: 'sk-chaos',
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

/** Machines and what they share. */
export interface SharedSite {
  readonly servers: SharedServers;
  readonly park: MachinePark;
  /** TURNWISE_HOME of the commands, which is on no machine. */
  readonly home: string;
  /** More of their environment. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Works with the machines `a` and `b`, and a store of the example papers. @param folder - an empty folder, for the files of all */
export async function withSharedSite<T>(
  { folder, disks, log }: { readonly folder: string; readonly disks: Disks; readonly log: Log },
  work: (site: SharedSite) => Promise<T>,
): Promise<T> {
  const servers = await startSharedServers(folder);
  const environment = servers.settings;
  const park = new MachinePark({ folder, disks, settings: environment });
  const home = join(folder, 'client');
  try {
    for (const name of ['a', 'b']) park.add(name);
    await park.ready();
    await ingestExamplePapers(home, log, environment);
    return await work({ servers, park, home, environment });
  } finally {
    await park.stop();
    await servers.stop();
  }
}
