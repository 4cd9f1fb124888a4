import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadEnvironment } from '../client/services/environment.js';
import { ingestPapers } from '../client/runs/ingest-papers.js';
import { withServices, type Session } from '../client/services/session.js';
import { openStore } from '../client/runs/store-files.js';
import { packageRoot } from '../client/services/versions.js';
import { storeNameSchema } from '../domain/ids.js';
import type { Environment } from '../domain/settings.js';
import type { StoreManifest } from '../domain/stores/store-manifest.js';

export interface ExampleStore {
  readonly session: Session;
  readonly environment: Environment;
  /** TURNWISE_HOME */
  readonly home: string;
  readonly milvusAddress: string;
  readonly manifest: StoreManifest;
}

/** The example papers, ingested as a user would into a new home, with the embedded services running for as long as `work` takes. */
export async function withExampleStore<T>(
  tell: (step: string) => void,
  work: (store: ExampleStore) => Promise<T>,
): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-bench-'));
  const environment = { ...loadEnvironment(), TURNWISE_HOME: home };
  const folder = join(packageRoot, 'examples', 'papers');
  const papers = readdirSync(folder)
    .filter((file) => file.endsWith('.pdf'))
    .map((file) => join(folder, file));
  try {
    return await withServices(environment, async (session) => {
      const { milvusAddress } = session.services;
      if (milvusAddress === null) throw new Error('Set MILVUS_ADDRESS: Temporal runs elsewhere.');
      tell('ingesting the example papers');
      const name = storeNameSchema.parse('examples');
      await ingestPapers(session, environment, name, papers);
      return work({ session, environment, home, milvusAddress, manifest: openStore(home, name) });
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
