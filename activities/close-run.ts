import type { RunId } from '../domain/ids.js';
import type { RunTotals } from '../domain/runs/run-totals.js';
import { reportingFailures } from './failures.js';
import type { ClockPort } from './ports/clock.js';
import type { RunFilesPort } from './ports/run-files.js';

export interface CloseRunPorts {
  readonly runFiles: RunFilesPort;
  readonly clock: ClockPort;
}

/** Writes a run's end and totals into its manifest. */
export function createCloseRun({
  runFiles,
  clock,
}: CloseRunPorts): (input: { readonly run: RunId; readonly totals: RunTotals }) => Promise<void> {
  return async function closeRun({ run, totals }) {
    return reportingFailures(async () => {
      const manifest = await runFiles.manifest(run);
      await runFiles.saveManifest({
        ...manifest,
        status: 'done',
        totals,
        endedAt: clock.now(),
      });
    });
  };
}
