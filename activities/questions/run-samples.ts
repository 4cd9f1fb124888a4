import type { RunId } from '../../domain/ids.js';
import { epochRanges, sampleOf, type Sample } from '../../domain/runs/dataset.js';
import type { SampleRange } from '../../domain/runs/sample-ranges.js';
import type { RunFilesPort } from '../ports/run-files.js';

/** The samples in a range of the order in which they are started. */
export async function samplesIn(
  runFiles: RunFilesPort,
  run: RunId,
  range: SampleRange,
): Promise<readonly Sample[]> {
  const { config } = await runFiles.manifest(run);
  const parts = epochRanges(range, await runFiles.itemCount(run), config.epochs);
  const samples = parts.map(async ({ epoch, start, end }) =>
    (await runFiles.itemsIn(run, { start, end })).map((item) => sampleOf(item, epoch)),
  );
  return (await Promise.all(samples)).flat();
}

/** Questions times epochs. */
export const countSamples = async (runFiles: RunFilesPort, run: RunId): Promise<number> =>
  (await runFiles.itemCount(run)) * (await runFiles.manifest(run)).config.epochs;
