import type { Environment } from '../../domain/settings.js';
import { obtainMilvusLite, type MilvusLiteEngine } from './milvus-lite-engine.js';
import { cacheFolder, type SetupContext } from './setup-context.js';
import {
  obtainTemporalCli,
  temporalCandidates,
  type TemporalCandidate,
  type TemporalCli,
} from './temporal-cli.js';

/** The programs behind the embedded services; absent where an address says the service runs elsewhere. */
export interface Engines {
  readonly temporal: TemporalCli | undefined;
  readonly milvus: MilvusLiteEngine | undefined;
}

/** Every place this machine may take the Temporal command line from, in order. */
export function candidatesHere(environment: Environment): readonly TemporalCandidate[] {
  return temporalCandidates({
    named: environment.TURNWISE_TEMPORAL_CLI,
    cacheFolder: cacheFolder(environment.TURNWISE_CACHE),
    platform: process.platform,
    arch: process.arch,
  });
}

/**
 * Finds or fetches what the environment leaves to the embedded services.
 * @throws EmbeddedFailure with the remedy.
 */
export async function obtainEngines(
  environment: Environment,
  { onStep, signal }: Omit<SetupContext, 'cacheFolder'>,
): Promise<Engines> {
  const context = { cacheFolder: cacheFolder(environment.TURNWISE_CACHE), onStep, signal };
  return {
    temporal: environment.TEMPORAL_ADDRESS
      ? undefined
      : await obtainTemporalCli(candidatesHere(environment), context),
    milvus: environment.MILVUS_ADDRESS ? undefined : await obtainMilvusLite(context),
  };
}
