import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import {
  benchmarks,
  readBenchmark,
  type Benchmark,
  type BenchmarkFiles,
} from '../../../domain/runs/imports/benchmarks.js';
import {
  readCsvDataset,
  readOpenAiEvals,
  readPromptfoo,
} from '../../../domain/runs/imports/file-formats.js';
import {
  fileFormats,
  makeDataset,
  type GoldComparison,
  type FieldNames,
  type FileFormat,
  type ImportedQuestions,
} from '../../../domain/runs/imports/imported-question.js';
import { readDataset } from '../../../domain/runs/dataset.js';
import { countsOf } from '../../../domain/statistics/means.js';
import type { StoreSettings } from '../../../storage/stores/store-place.js';
import { flawedFiles, readTextFile, wholeFile } from '../../services/read-file.js';
import { runGolds, type GoldRuns } from './run-golds.js';

interface ImportOptions {
  readonly names: FieldNames;
  readonly separator: string;
  readonly comparison: GoldComparison;
  readonly keepUnscored: boolean;
}

interface ImportedDataset {
  readonly questions: number;
  readonly unscored: number;
  /** How many questions were left out, by the reason. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** Each naming its place in the file. */
  readonly warnings: readonly string[];
  /** What became of its gold SQL; null if it has none. */
  readonly golds: GoldRuns | null;
}

export const importFormats = [...fileFormats, ...benchmarks] as const;
export type ImportFormat = FileFormat | Benchmark;

const readers: Readonly<
  Record<FileFormat, (text: string, options: ImportOptions) => ImportedQuestions>
> = {
  'openai-evals': (text, { comparison }) => readOpenAiEvals(text, comparison),
  promptfoo: readPromptfoo,
  csv: readCsvDataset,
};

/**
 * Makes a dataset of a file of another program, or of the folder of a benchmark, and runs its gold SQL.
 * @throws UserError naming every flaw by its place, before anything is written
 */
export async function importDataset(
  settings: StoreSettings,
  format: ImportFormat,
  file: string,
  out: string,
  options: ImportOptions,
): Promise<ImportedDataset> {
  const read = isBenchmark(format)
    ? readBenchmark(format, benchmarkFiles(file, out))
    : readers[format](readTextFile(file), options);
  const leftOut = Object.fromEntries(countsOf(read.leftOut ?? []));
  const dataset = makeDataset(read);
  if (dataset.kind === 'problems') throw flawedFiles([{ file, problems: dataset.problems }]);
  mkdirSync(dirname(out), { recursive: true });
  await wholeFile(out, (draft) => {
    writeFileSync(draft, dataset.lines.map((line) => `${line}\n`).join(''));
  });
  const made = readDataset(dataset.lines.join('\n'));
  return {
    golds: made.kind === 'items' ? await runGolds(settings, out, made.items) : null,
    questions: dataset.lines.length,
    unscored: dataset.unscored,
    leftOut,
    warnings: dataset.warnings.map((warning) => `${file}: ${warning}`),
  };
}

const isBenchmark = (format: ImportFormat): format is Benchmark =>
  benchmarks.some((benchmark) => benchmark === format);

/** @param out - the dataset, which names files relative to itself */
function benchmarkFiles(folder: string, out: string): BenchmarkFiles {
  const isFile = (file: string): boolean =>
    statSync(join(folder, file), { throwIfNoEntry: false })?.isFile() ?? false;
  return {
    names: (inner) => {
      const path = join(folder, inner);
      return statSync(path, { throwIfNoEntry: false })?.isDirectory()
        ? readdirSync(path).sort()
        : [];
    },
    has: isFile,
    read: (file) => (isFile(file) ? readTextFile(join(folder, file)) : null),
    pathOf: (file) => relative(dirname(out), join(folder, file)).split(sep).join('/'),
  };
}
