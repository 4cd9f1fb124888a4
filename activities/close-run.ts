import type { RunId } from '../domain/ids.js';
import { reportingFailures } from './failures.js';
import type { ClockPort } from './ports/clock.js';
import type { RunFilesPort } from './ports/run-files.js';
import { publishStoredEnds, type StoredEnds } from './stored-ends.js';

export interface CloseRunPorts {
  readonly runFiles: RunFilesPort;
  readonly clock: ClockPort;
}

export interface CloseRunInput {
  readonly run: RunId;
  /** @defaultValue 'done' */
  readonly status?: 'done' | 'cancelled';
}

/**
 * Writes a run's end and totals into its manifest. Both are taken from the stored ends: a question of an earlier
 * run workflow may have ended after this one had counted and before it would have been started.
 */
export function createCloseRun({
  runFiles,
  clock,
}: CloseRunPorts): (input: CloseRunInput) => Promise<StoredEnds> {
  return async function closeRun({ run, status = 'done' }) {
    return reportingFailures(async () => {
      const ends = await publishStoredEnds(runFiles, run);
      const manifest = await runFiles.manifest(run);
      await runFiles.saveManifest({
        ...manifest,
        status,
        totals: ends.totals,
        endedAt: clock.now(),
      });
      return ends;
    });
  };
}
