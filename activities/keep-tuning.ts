import type { RunId } from '../domain/ids.js';
import { tunedConfig, type Tuning } from '../domain/runs/tuning.js';
import { reportingFailures } from './failures.js';
import type { RunFilesPort } from './ports/run-files.js';

/** Writes what was tuned into a run's manifest: a run that is taken up again keeps to it. */
export function createKeepTuning({
  runFiles,
}: {
  readonly runFiles: RunFilesPort;
}): (input: { readonly run: RunId; readonly tuning: Tuning }) => Promise<void> {
  return async function keepTuning({ run, tuning }) {
    return reportingFailures(async () => {
      const manifest = await runFiles.manifest(run);
      await runFiles.saveManifest({ ...manifest, config: tunedConfig(manifest.config, tuning) });
    });
  };
}
