import { environmentSchema, setVariables, type Environment } from '../../domain/settings.js';
import { obtainMilvusLite, obtainMiniLm, type MilvusLiteEngine } from './python-engines.js';
import { cacheFolder, EmbeddedFailure, type SetupContext } from './setup-context.js';
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
  how: Omit<SetupContext, 'cacheFolder'>,
): Promise<Engines> {
  const context = { cacheFolder: cacheFolder(environment.TURNWISE_CACHE), ...how };
  const milvus = environment.MILVUS_ADDRESS ? undefined : await obtainMilvusLite(context);
  if (milvus) await obtainMiniLm(context, milvus);
  return {
    temporal: environment.TEMPORAL_ADDRESS
      ? undefined
      : await obtainTemporalCli(temporalCandidatesOf(environment), context),
    milvus,
  };
}

/** Finds or installs them for a program of the set-up, which says on the terminal what is done. Returns its exit status. */
export async function fetchEngines(how: Omit<SetupContext, 'cacheFolder'>): Promise<number> {
  try {
    const { temporal, milvus } = await obtainEngines(
      environmentSchema.parse(setVariables(process.env)),
      how,
    );
    if (temporal) how.onStep(`Temporal: ${temporal.version}, ${temporal.path}`);
    if (milvus) how.onStep(`Milvus: ${milvus.version}, ${milvus.python}`);
    return 0;
  } catch (error) {
    if (how.signal.aborted) return 130;
    if (!(error instanceof EmbeddedFailure)) throw error;
    process.stderr.write(`${error.message}\n`);
    return error.exitStatus;
  }
}
