import type { RunId, SampleKey } from '../../domain/ids.js';
import { sampleKeysOf, type Sample } from '../../domain/runs/dataset.js';
import { includesSample } from '../../domain/runs/run-state.js';
import { reportingFailures } from '../failures.js';
import type { RunFilesPort } from '../ports/run-files.js';
import { storedEnds } from './stored-ends.js';

/** The samples of these keys, in the run's order. */
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
      const samples = sampleKeysOf(await runFiles.items(run), config.epochs);
      return { samples: samples.filter((sample) => includesSample(keys, sample)) };
    });
  };
}

export interface ListSamplesInput {
  readonly run: RunId;
  /** Place in the order of the run, from 0. */
  readonly offset: number;
  readonly limit: number;
}

/** Those of the next `limit` samples that have not ended. */
export function createListSamples({
  runFiles,
}: {
  readonly runFiles: RunFilesPort;
}): (input: ListSamplesInput) => Promise<{ readonly samples: readonly Sample[] }> {
  return async function listSamples({ run, offset, limit }) {
    return reportingFailures(async () => {
      const { config } = await runFiles.manifest(run);
      const range = { start: offset, end: offset + limit };
      const page = sampleKeysOf(await runFiles.items(run), config.epochs, range);
      const ends = await storedEnds(runFiles, run, page);
      return { samples: page.filter((_, index) => ends[index] === null) };
    });
  };
}
