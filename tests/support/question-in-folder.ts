import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { RunFilesPort } from '../../activities/ports/run-files.js';
import type { DatasetItem } from '../../domain/questions/dataset-item.js';
import { datasetItemSchema } from '../../domain/questions/dataset-item.js';
import { questionIdSchema } from '../../domain/ids.js';
import type { QuestionRef } from '../../domain/questions/question-ref.js';
import { datasetFile, manifestFile, runFolder } from '../../domain/runs/run-layout.js';
import type { RunManifest } from '../../domain/runs/run-manifest.js';
import { createFolderRunFiles } from '../../worker/adapters/folder-run-files.js';
import { exampleManifest } from './example-manifest.js';

export interface QuestionInFolder {
  readonly home: string;
  readonly manifest: RunManifest;
  readonly ref: QuestionRef;
  readonly runFiles: RunFilesPort;
}

/** A run of one question in a new folder, as `turnwise run` leaves it for the workers. */
export function questionInFolder(
  fields: Partial<DatasetItem> = {},
  change: (manifest: RunManifest) => RunManifest = (manifest) => manifest,
): QuestionInFolder {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-run-'));
  const manifest = change(exampleManifest());
  const item = datasetItemSchema.parse({ uuid: 'q1', question: 'How many turns?', ...fields });
  const write = (file: string, text: string): void => {
    const path = join(home, runFolder(manifest.run), file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  write(manifestFile, JSON.stringify(manifest));
  write(datasetFile, `${JSON.stringify(item)}\n`);
  return {
    home,
    manifest,
    ref: { run: manifest.run, uuid: questionIdSchema.parse('q1'), epoch: 1 },
    runFiles: createFolderRunFiles(home),
  };
}
