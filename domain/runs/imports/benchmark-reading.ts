import type { Evaluator } from '../../scoring/dataset-item.js';
import { gather, type ImportedQuestion, type ImportedQuestions } from './imported-question.js';

/** The files of a benchmark. Paths are relative to its folder and have slashes. */
export interface BenchmarkFiles {
  /** The names of the files in a folder, sorted; none if there is no folder. */
  readonly names: (folder: string) => readonly string[];
  readonly has: (file: string) => boolean;
  /** Null if there is no such file. */
  readonly read: (file: string) => string | null;
  /** The path of a file as a dataset names it. */
  readonly pathOf: (file: string) => string;
}

/** What became of a question of a benchmark: imported, left out, or flawed. */
export type Reading = ImportedQuestion | LeftOut | string;

export interface LeftOut {
  readonly leftOut: string;
}

export const leaveOut = (leftOut: string): LeftOut => ({ leftOut });

export function gatherReadings(readings: readonly Reading[]): ImportedQuestions {
  const isLeftOut = (reading: Reading): reading is LeftOut =>
    typeof reading === 'object' && 'leftOut' in reading;
  return {
    ...gather(readings.flatMap((reading) => (isLeftOut(reading) ? [] : [reading]))),
    leftOut: readings.filter(isLeftOut).map(({ leftOut }) => leftOut),
  };
}

export const executionMatch = (options: Evaluator['eval_kwargs']): Evaluator => ({
  eval_func: 'eval_execution_match',
  eval_kwargs: options,
});

/** The question with what the benchmark lets its solver know. */
export const withKnowledge = (question: string, knowledge: string): string =>
  knowledge.trim() === '' ? question : `${question}\n\nExternal knowledge: ${knowledge.trim()}`;

/** The layout is not that of the benchmark. */
export const missing = (expected: string): ImportedQuestions => ({
  questions: [],
  problems: [`there is no ${expected} in this folder`],
});
