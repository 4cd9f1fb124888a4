import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { readCsvDataset } from '../../domain/runs/imports/csv-dataset.js';
import type { GoldComparison } from '../../domain/runs/imports/gold-evaluator.js';
import type {
  FieldNames,
  ImportedQuestions,
  ImportFormat,
} from '../../domain/runs/imports/imported-question.js';
import { makeDataset } from '../../domain/runs/imports/make-dataset.js';
import { readOpenAiEvals } from '../../domain/runs/imports/openai-evals.js';
import { readPromptfoo } from '../../domain/runs/imports/promptfoo.js';
import { flawedFiles, readTextFile, wholeFile } from '../services/read-file.js';

export interface ImportOptions {
  readonly names: FieldNames;
  readonly separator: string;
  readonly comparison: GoldComparison;
  readonly keepUnscored: boolean;
}

export interface ImportedDataset {
  readonly questions: number;
  readonly unscored: number;
  /** Each naming its place in the file. */
  readonly warnings: readonly string[];
}

const readers: Readonly<
  Record<ImportFormat, (text: string, options: ImportOptions) => ImportedQuestions>
> = {
  'openai-evals': (text, { comparison }) => readOpenAiEvals(text, comparison),
  promptfoo: readPromptfoo,
  csv: readCsvDataset,
};

/**
 * Makes a dataset of a file of another program.
 * @throws UserError naming every flaw by its place, before anything is written
 */
export async function importDataset(
  format: ImportFormat,
  file: string,
  out: string,
  options: ImportOptions,
): Promise<ImportedDataset> {
  const dataset = makeDataset(readers[format](readTextFile(file), options));
  if (dataset.kind === 'problems') throw flawedFiles([{ file, problems: dataset.problems }]);
  mkdirSync(dirname(out), { recursive: true });
  await wholeFile(out, (draft) => {
    writeFileSync(draft, dataset.lines.map((line) => `${line}\n`).join(''));
  });
  return {
    questions: dataset.lines.length,
    unscored: dataset.unscored,
    warnings: dataset.warnings.map((warning) => `${file}: ${warning}`),
  };
}
