import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadEnvironment } from '../client/services/environment.js';
import { withSession } from '../client/commands/shared/execute.js';
import { ingestPapers } from '../client/runs/stores/store-workflows.js';
import type { Session } from '../client/services/session.js';
import { openStore } from '../client/runs/stores/store-files.js';
import { packageRoot } from '../client/services/versions.js';
import { storeNameSchema } from '../domain/ids.js';
import type { Environment } from '../domain/settings.js';
import type { StoreManifest } from '../domain/stores/store-manifest.js';
import { turnwise } from './chaos/command-line.js';

const examplePapers = join(packageRoot, 'examples', 'papers');

export interface ExampleStore {
  readonly session: Session;
  readonly environment: Environment;
  /** TURNWISE_HOME */
  readonly home: string;
  readonly milvusAddress: string;
  readonly manifest: StoreManifest;
}

/** Ingests the example papers into a new home, and runs `work` as a command does that has started the embedded services. */
export async function withExampleStore<T>(
  log: (step: string) => void,
  work: (store: ExampleStore) => Promise<T>,
): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-bench-'));
  const environment = { ...loadEnvironment(), TURNWISE_HOME: home };
  const papers = readdirSync(examplePapers)
    .filter((file) => file.endsWith('.pdf'))
    .map((file) => join(examplePapers, file));
  try {
    return await withSession(environment, async (session) => {
      const { milvusAddress } = session.services;
      if (milvusAddress === null)
        throw new Error('Set MILVUS_ADDRESS, because TEMPORAL_ADDRESS is set.');
      log('ingesting the example papers');
      const name = storeNameSchema.parse('examples');
      await ingestPapers(session, environment, name, papers);
      const manifest = await openStore(environment, name);
      return work({ session, environment, home, milvusAddress, manifest });
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/**
 * Ingests the example papers into a store `examples`, by the `turnwise` command.
 * @param settings - more of the command's environment
 */
export async function ingestExamplePapers(
  home: string,
  log: (step: string) => void,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  log('ingesting the example papers');
  const args = ['ingest', examplePapers, '--store', 'examples'];
  const command = turnwise(args, { ...settings, TURNWISE_HOME: home });
  if ((await command.ended) !== 0) throw new Error(command.lastOutput());
}
