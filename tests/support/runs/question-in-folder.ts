import { questionIdSchema } from '../../../domain/ids.js';
import type { DatasetItem } from '../../../domain/scoring/dataset-item.js';
import type { QuestionRef } from '../../../domain/runs/question-ref.js';
import type { RunManifest } from '../../../domain/runs/run-manifest.js';
import { runInFolder, type RunInFolder } from './run-in-folder.js';

export interface QuestionInFolder extends RunInFolder {
  readonly ref: QuestionRef;
}

/** A run of one question in a new folder. */
export function questionInFolder(
  fields: Partial<DatasetItem> = {},
  change?: (manifest: RunManifest) => RunManifest,
): QuestionInFolder {
  const run = runInFolder([{ uuid: 'q1', question: 'How many turns?', ...fields }], change);
  return { ...run, ref: { run: run.manifest.run, uuid: questionIdSchema.parse('q1'), epoch: 1 } };
}
