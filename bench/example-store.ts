import { readdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddersPort } from '../activities/ports/model.js';
import { withSession } from '../client/commands/shared/execute.js';
import { openStore } from '../client/runs/stores/store-files.js';
import { ingestPapers } from '../client/runs/stores/store-workflows.js';
import { loadEnvironment } from '../client/services/environment.js';
import type { Session } from '../client/services/session.js';
import { packageRoot } from '../client/services/programs.js';
import { hashingName } from '../domain/embedders.js';
import { storeNameSchema } from '../domain/ids.js';
import type { Environment } from '../domain/settings.js';
import type { StoreManifest } from '../domain/stores/store-manifest.js';
import { createEmbedders } from '../worker/adapters/embedders.js';
import { milvusLitePython, miniLmFolder } from '../worker/embedded/python-engines.js';
import { cacheFolder } from '../worker/embedded/setup-context.js';
import type { Log, Findings } from './benchmark.js';
import { succeeded, turnwise } from './chaos/command-line.js';

const examplePapers = join(packageRoot, 'examples', 'papers');

/** A home with services that run, as a command has them that has started them. */
export interface ServedHome {
  /** TURNWISE_HOME */
  readonly home: string;
  readonly environment: Environment;
  readonly session: Session;
}

/** Works in a new home, whose services are started before. */
export const withServedHome = <T>(work: (served: ServedHome) => Promise<T>): Promise<T> =>
  withFolder((home) => {
    const environment = { ...loadEnvironment(), TURNWISE_HOME: home };
    return withSession(environment, (session) => work({ home, environment, session }));
  });

export interface ExampleStore extends ServedHome {
  readonly milvusAddress: string;
  readonly manifest: StoreManifest;
}

/** The same with the example papers, which are ingested before. */
export const withExampleStore = <T>(
  log: Log,
  work: (store: ExampleStore) => Promise<T>,
): Promise<T> =>
  withServedHome(async (served) => {
    const { environment, session } = served;
    const { milvusAddress } = session.services;
    if (milvusAddress === null)
      throw new Error('Set MILVUS_ADDRESS, because TEMPORAL_ADDRESS is set.');
    log('ingesting the example papers');
    const name = storeNameSchema.parse('examples');
    const papers = readdirSync(examplePapers).filter((file) => file.endsWith('.pdf'));
    const paths = papers.map((file) => join(examplePapers, file));
    await ingestPapers(session, environment, name, paths, { embedder: hashingName });
    return work({ ...served, milvusAddress, manifest: await openStore(environment, name) });
  });

/**
 * Ingests the example papers into a store `examples`, by the `turnwise` command.
 * @param settings - more of the command's environment
 */
export async function ingestExamplePapers(
  home: string,
  log: Log,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  log('ingesting the example papers');
  const args = ['store', 'add', examplePapers, '--store', 'examples', '--embedder', 'hashing'];
  await succeeded(turnwise(args, { ...settings, TURNWISE_HOME: home }));
}

/** Embedders that need no endpoint. */
export function localEmbedders(): EmbeddersPort {
  const baseUrl = 'http://127.0.0.1:1/v1';
  const engines = cacheFolder(undefined);
  return createEmbedders(
    { baseUrl, keyIsFor: baseUrl, apiKey: undefined },
    { folder: miniLmFolder(engines), python: milvusLitePython(engines) },
  );
}

/** Works in a folder of its own, which goes in the end unless the result is a reason to keep it. */
export async function withFolder<T>(
  work: (folder: string) => Promise<T>,
  isKept: (result: T, folder: string) => boolean = () => false,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-bench-'));
  let kept = false;
  try {
    const result = await work(folder);
    kept = isKept(result, folder);
    return result;
  } finally {
    if (!kept) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The same with a folder that is kept where problems were found. */
export const inKeptFolder = (
  log: Log,
  work: (folder: string) => Promise<Findings>,
): Promise<Findings> =>
  withFolder(work, ({ problems }, folder) => {
    if (problems.length > 0) log(`the files of the runs are kept in ${folder}`);
    return problems.length > 0;
  });
