import type { Evaluator } from '../../scoring/dataset-item.js';

/** Programs whose files can be made a dataset. Benchmarks are imported from their folders (`benchmarks.ts`). */
export const fileFormats = ['openai-evals', 'promptfoo', 'csv'] as const;
export type FileFormat = (typeof fileFormats)[number];

/** Fields of a question that a file may have under another name. */
export const importFields = [
  'uuid',
  'question',
  'gold',
  'answer_format',
  'tags',
  'anchor_pdf',
] as const;
export type ImportField = (typeof importFields)[number];
export type FieldNames = Readonly<Partial<Record<ImportField, string>>>;

/** A question as a file made elsewhere has it. */
export interface ImportedQuestion {
  /** In words, e.g. `line 3`. */
  readonly place: string;
  /** Null where the file gives it none. */
  readonly uuid: string | null;
  readonly question: string;
  /** Null where nothing says what is right. */
  readonly evaluator: Evaluator | null;
  /** Everything else that goes into the dataset. */
  readonly others: Readonly<Record<string, unknown>>;
}

export interface ImportedQuestions {
  readonly questions: readonly ImportedQuestion[];
  /** Each naming its place. */
  readonly problems: readonly string[];
  /** Why questions were left out, once for each. @defaultValue none was */
  readonly leftOut?: readonly string[];
}

/** Gathers what became of each record of a file. */
export function gather(readings: readonly (ImportedQuestion | string)[]): ImportedQuestions {
  return {
    questions: readings.flatMap((reading) => (typeof reading === 'string' ? [] : [reading])),
    problems: readings.flatMap((reading) => (typeof reading === 'string' ? [reading] : [])),
  };
}
