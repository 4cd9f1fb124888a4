import type { RunId, SampleKey } from '../../domain/ids.js';
import { tunedConfig, type Tuning } from '../../domain/runs/tuning.js';
import { reportingFailures } from '../failures.js';
import type { RunFilesPort } from '../ports/run-files.js';

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

export interface ReopenInput {
  readonly run: RunId;
  readonly keys: readonly SampleKey[];
  /** Forget its turns, too. */
  readonly anew: boolean;
}

/**
 * Takes back the ends of questions, so that they can be asked again. Its run is not done then, as its manifest may say: it
 * had just ended, or was closing, when the retry was asked for.
 */
export function createReopenQuestions({
  runFiles,
}: {
  readonly runFiles: RunFilesPort;
}): (input: ReopenInput) => Promise<void> {
  return async function reopenQuestions({ run, keys, anew }) {
    return reportingFailures(async () => {
      const manifest = await runFiles.manifest(run);
      if (manifest.status !== 'running') {
        await runFiles.saveManifest({ ...manifest, status: 'running' });
      }
      await runFiles.reopen(run, keys, anew);
    });
  };
}
