import { endedQuestion } from '../domain/questions/end-record.js';
import type { RunId } from '../domain/ids.js';
import { samplesOf } from '../domain/questions/samples.js';
import { addEnded, noTotals, type RunTotals } from '../domain/runs/run-totals.js';
import { reportingFailures } from './failures.js';
import type { RunFilesPort } from './ports/run-files.js';

/** What the run's workflow decides on; everything else stays in the manifest. */
export interface OpenedRun {
  readonly samples: number;
  readonly totals: RunTotals;
}

/** Publishes what ended while no run workflow was there to collect it, and counts what is done. */
export function createOpenRun({
  runFiles,
}: {
  readonly runFiles: RunFilesPort;
}): (input: { readonly run: RunId }) => Promise<OpenedRun> {
  return async function openRun({ run }) {
    return reportingFailures(async () => {
      const manifest = await runFiles.manifest(run);
      const samples = samplesOf(await runFiles.items(run), manifest.config.epochs);
      const ends = await Promise.all(samples.map((sample) => runFiles.end(run, sample)));
      const records = ends.filter((record) => record !== null);
      await runFiles.publish(run, records);
      const totals = records.map(endedQuestion).reduce(addEnded, noTotals);
      return { samples: samples.length, totals };
    });
  };
}
