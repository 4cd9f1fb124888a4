import type { RunId } from '../../domain/ids.js';
import type { AskedSample } from '../../domain/runs/run-manifest.js';
import { tunedConfig, type Tuning } from '../../domain/runs/run-config.js';
import { activity } from '../failures.js';
import type { RunFilesPort } from '../ports/run-files.js';

/** Writes changed settings into a run's manifest, so that they also hold when the run is continued. */
export function createKeepTuning({
  runFiles,
}: {
  readonly runFiles: RunFilesPort;
}): (input: { readonly run: RunId; readonly tuning: Tuning }) => Promise<void> {
  return activity(async ({ run, tuning }) => {
    const manifest = await runFiles.manifest(run);
    await runFiles.saveManifest({ ...manifest, config: tunedConfig(manifest.config, tuning) });
  });
}

interface ReopenInput {
  readonly run: RunId;
  /** Each with the asking that is left behind. */
  readonly keys: readonly AskedSample[];
  /** Also puts their turns aside. */
  readonly anew: boolean;
}

/**
 * Leaves the ends of questions behind, so that they can be asked again. The manifest may say that the run is done, since it may
 * have ended just before the retry: it becomes `running` again.
 */
export function createReopenQuestions({
  runFiles,
}: {
  readonly runFiles: RunFilesPort;
}): (input: ReopenInput) => Promise<void> {
  return activity(async ({ run, keys, anew }) => {
    const manifest = await runFiles.manifest(run);
    if (manifest.status !== 'running') {
      await runFiles.saveManifest({ ...manifest, status: 'running', endedAt: null });
    }
    await runFiles.reopen(run, keys, anew);
  });
}
