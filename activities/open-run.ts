import type { Amount } from '../domain/budget/amount.js';
import type { RunId } from '../domain/ids.js';
import { spentBy } from './count-spent.js';
import { reportingFailures } from './failures.js';
import type { RunFilesPort } from './ports/run-files.js';
import { publishStoredEnds, type StoredEnds } from './stored-ends.js';

export interface OpenedRun extends StoredEnds {
  /** Absent in histories of older versions. */
  readonly spent?: Amount;
}

/** Tells a run's workflow how far the run is; everything else stays in the manifest. */
export function createOpenRun({
  runFiles,
}: {
  readonly runFiles: RunFilesPort;
}): (input: { readonly run: RunId }) => Promise<OpenedRun> {
  return async function openRun({ run }) {
    return reportingFailures(async () => ({
      ...(await publishStoredEnds(runFiles, run)),
      spent: await spentBy(runFiles, run),
    }));
  };
}
