import type { RunId } from '../../domain/ids.js';
import type { Sample } from '../../domain/runs/dataset.js';
import type { SampleRange } from '../../domain/runs/sample-ranges.js';
import { activity } from '../failures.js';
import type { RunFilesPort } from '../ports/run-files.js';
import { samplesIn } from '../questions/run-samples.js';
import { storedEnds } from './stored-ends.js';

/** Samples whose ends one activity looks up at most. */
const mostRead = 10_000;

interface ListSamplesInput {
  readonly run: RunId;
  readonly range: SampleRange;
  /** Samples in the answer. */
  readonly limit: number;
}

interface ListedSamples {
  /** In the run's order. May be empty before the end of the range. */
  readonly samples: readonly Sample[];
  /** The index from which the next call goes on; the end of the range if all of it has been read. */
  readonly next: number;
}

/** The first samples in a range of the run's order that have not ended. */
export function createListSamples({
  runFiles,
}: {
  readonly runFiles: RunFilesPort;
}): (input: ListSamplesInput) => Promise<ListedSamples> {
  return activity(async ({ run, range: { start, end }, limit }) => {
    const asked = async (sample: Sample): Promise<Sample> => {
      const asking = await runFiles.asking(run, sample);
      return asking === 1 ? sample : { ...sample, asking };
    };
    const last = Math.min(end, start + mostRead);
    let next = start;
    while (next < last) {
      const before = next;
      next = Math.min(next + limit, last);
      const page = await samplesIn(runFiles, run, { start: before, end: next });
      const ends = await storedEnds(runFiles, run, page);
      const samples = page.filter((_, index) => ends[index] === null);
      if (samples.length > 0) return { samples: await Promise.all(samples.map(asked)), next };
    }
    return { samples: [], next };
  });
}
