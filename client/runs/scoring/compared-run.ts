import type { ComparedRun } from '../../../domain/runs/pair-runs.js';
import type { RunFolder } from '../run-folder.js';
import { runSamples } from './run-scores.js';
import { scorerOf } from './score-run.js';

/** What a comparison needs of a run: its scores and results so far. */
export async function comparedRun(folder: RunFolder): Promise<ComparedRun> {
  const { status } = await folder.manifest();
  return {
    run: folder.run,
    ended: status !== 'running',
    scorer: await scorerOf(folder),
    samples: await runSamples(folder),
    results: await folder.results(),
  };
}
