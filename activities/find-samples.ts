import type { RunId, SampleKey } from '../domain/ids.js';
import { samplesOf, type Sample } from '../domain/questions/samples.js';
import { includesSample } from '../domain/runs/run-state.js';
import { reportingFailures } from './failures.js';
import type { RunFilesPort } from './ports/run-files.js';

/** The samples of these keys, as a run's workflow handles them. */
export function createFindSamples({
  runFiles,
}: {
  readonly runFiles: RunFilesPort;
}): (input: {
  readonly run: RunId;
  readonly keys: readonly SampleKey[];
}) => Promise<{ readonly samples: readonly Sample[] }> {
  return async function findSamples({ run, keys }) {
    return reportingFailures(async () => {
      const { config } = await runFiles.manifest(run);
      const samples = samplesOf(await runFiles.items(run), config.epochs);
      return { samples: samples.filter((sample) => includesSample(keys, sample)) };
    });
  };
}
