import type { RunId } from '../domain/ids.js';
import { reportingFailures } from './failures.js';
import type { RunFilesPort } from './ports/run-files.js';
import { publishStoredEnds, type StoredEnds } from './stored-ends.js';

/** Tells a run's workflow how far the run is; everything else stays in the manifest. */
export function createOpenRun({
  runFiles,
}: {
  readonly runFiles: RunFilesPort;
}): (input: { readonly run: RunId }) => Promise<StoredEnds> {
  return async function openRun({ run }) {
    return reportingFailures(() => publishStoredEnds(runFiles, run));
  };
}
