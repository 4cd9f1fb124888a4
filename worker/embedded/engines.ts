import type { Environment } from '../../domain/settings.js';
import { obtainMilvusLite, type MilvusLiteEngine } from './milvus-lite-engine.js';
import { cacheFolder, type SetupContext } from './setup-context.js';
import {
  obtainTemporalCli,
  temporalCandidates,
  type TemporalCandidate,
  type TemporalCli,
} from './temporal-cli.js';

/** The programs of the embedded services. Undefined for a service that runs elsewhere, at a configured address. */
export interface Engines {
  readonly temporal: TemporalCli | undefined;
  readonly milvus: MilvusLiteEngine | undefined;
}

/** The places from which this machine may take the Temporal command line, in order. */
export function temporalCandidatesOf(environment: Environment): readonly TemporalCandidate[] {
  return temporalCandidates({
    named: environment.TURNWISE_TEMPORAL_CLI,
    cacheFolder: cacheFolder(environment.TURNWISE_CACHE),
    platform: process.platform,
    arch: process.arch,
  });
}

/**
 * Finds or installs the programs of the services for which the environment has no address.
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
      : await obtainTemporalCli(temporalCandidatesOf(environment), context),
    milvus: environment.MILVUS_ADDRESS ? undefined : await obtainMilvusLite(context),
  };
}
