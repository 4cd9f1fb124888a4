import {
  compareRuns,
  type RunComparison,
  type ComparedRun,
} from '../../../domain/runs/compare-runs.js';
import { UserError } from '../../../domain/user-error.js';
import type { RunFolder } from '../run-folder.js';
import { answersByFields, readRun } from './run-scores.js';
import { scorerOf } from './score-run.js';

/**
 * Sets runs against a baseline. Throws UserError where one is named twice, or is not there.
 * @param folders - the baseline's first
 * @param fields - of the questions, by which differences are shown, too
 */
export async function compareStoredRuns(
  folders: readonly [RunFolder, ...RunFolder[]],
  fields: readonly string[] = [],
): Promise<RunComparison> {
  const runs = folders.map(({ run }) => run);
  const doubled = runs.find((run, index) => runs.indexOf(run) !== index);
  if (doubled !== undefined) throw new UserError(`run ${doubled} is named twice`);
  const [baseline, ...others] = folders;
  return compareRuns(
    await comparedRun(baseline, fields),
    await Promise.all(others.map((folder) => comparedRun(folder, fields))),
    fields,
  );
}

/** What a comparison by fields of the questions needs of a run: its scores and results so far. */
export async function comparedRun(
  folder: RunFolder,
  fields: readonly string[] = [],
): Promise<ComparedRun> {
  const files = await readRun(folder);
  return {
    run: folder.run,
    ended: files.manifest.status !== 'running',
    scorer: await scorerOf(folder, files),
    manifest: files.manifest,
    answers: await answersByFields(folder, files, fields),
  };
}
