import { add, nothing, type Amount } from '../domain/budget/amount.js';
import type { RunId } from '../domain/ids.js';
import { spentOnBatch } from './count-spent.js';
import { reportingFailures } from './failures.js';
import type { RunFilesPort } from './ports/run-files.js';
import { noStoredEnds, publishBatch, samplesInBatches, type StoredEnds } from './stored-ends.js';

export interface OpenedRun extends StoredEnds {
  /** What its stored replies and ends took of its budget. */
  readonly spent: Amount;
}

/** Tells a run's workflow how far the run is; everything else stays in the manifest. */
export function createOpenRun({
  runFiles,
}: {
  readonly runFiles: RunFilesPort;
}): (input: { readonly run: RunId }) => Promise<OpenedRun> {
  return async function openRun({ run }) {
    return reportingFailures(async () => {
      let counted = noStoredEnds;
      let spent = nothing;
      for await (const batch of samplesInBatches(runFiles, run)) {
        counted = await publishBatch(runFiles, run, batch, counted);
        spent = add(spent, await spentOnBatch(runFiles, run, batch));
      }
      return { ...counted, spent };
    });
  };
}
