import type { RunId, SampleKey } from '../domain/ids.js';
import { reportingFailures } from './failures.js';
import { PortFailure } from './ports/port-failure.js';
import type { RunFilesPort } from './ports/run-files.js';

export interface CollectResultsInput {
  readonly run: RunId;
  readonly keys: readonly SampleKey[];
}

/** Publishes the ends of `keys` in `results.jsonl` and `scores.jsonl`. The run's workflow calls it one batch at a time. */
export function createCollectResults({
  runFiles,
}: {
  readonly runFiles: RunFilesPort;
}): (input: CollectResultsInput) => Promise<void> {
  return async function collectResults({ run, keys }) {
    return reportingFailures(async () => {
      const records = await Promise.all(
        keys.map(async (key) => {
          const record = await runFiles.end(run, key);
          if (record) return record;
          throw new PortFailure('InvalidRun', `question ${key.uuid} has not ended in run ${run}`);
        }),
      );
      await runFiles.publish(run, records);
    });
  };
}
