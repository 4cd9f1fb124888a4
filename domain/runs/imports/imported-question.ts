import { v5 as uuid5 } from 'uuid';
import {
  type Evaluator,
  datasetItemSchema,
  evaluatorOf,
  scoringProblems,
} from '../../scoring/dataset-item.js';
import { exactJson, firstIssue } from '../../formats/json.js';
import { countsOf } from '../../statistics/means.js';

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
type ImportField = (typeof importFields)[number];
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

/** The question with its evaluator, or why there is none. */
export const withEvaluator = (
  imported: Omit<ImportedQuestion, 'evaluator'>,
  evaluator: Evaluator | string,
): ImportedQuestion | string =>
  typeof evaluator === 'string' ? `${imported.place}: ${evaluator}` : { ...imported, evaluator };

/** Gathers what became of each record of a file. */
export function gather(readings: readonly (ImportedQuestion | string)[]): ImportedQuestions {
  return {
    questions: readings.flatMap((reading) => (typeof reading === 'string' ? [] : [reading])),
    problems: readings.flatMap((reading) => (typeof reading === 'string' ? [reading] : [])),
  };
}

type MadeDataset =
  | {
      readonly kind: 'dataset';
      /** Of the dataset, each a JSON object. */
      readonly lines: readonly string[];
      /** Questions that nothing can score. */
      readonly unscored: number;
      /** What is probably meant differently, each naming its place. */
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** What the question's own fields are called. */
const ownFields = ['uuid', 'question', 'evaluator'] as const;

/**
 * Makes a dataset of questions from elsewhere. A question without an id gets one that follows from its text, so that the
 * same file makes the same dataset whatever is added to it later.
 */
export function makeDataset({ questions, problems, leftOut = [] }: ImportedQuestions): MadeDataset {
  const flaws = [...problems];
  const warnings: string[] = [];
  const lines: string[] = [];
  let unscored = 0;
  const placeOf = new Map<string, string>();
  const timesSeen = new Map<string, number>();
  for (const { place, uuid: given, question, evaluator, others } of questions) {
    const seen = timesSeen.get(question) ?? 0;
    timesSeen.set(question, seen + 1);
    const uuid = given ?? uuid5(`${question}\n${seen}`, uuid5.URL);
    const item = { ...others, uuid, question, ...(evaluator && { evaluator }) };
    for (const name of ownFields.filter((field) => Object.hasOwn(others, field))) {
      flaws.push(
        `${place}: ${name} would be lost, since a dataset means something else by it: call it otherwise`,
      );
    }
    const parsed = datasetItemSchema.safeParse(item);
    if (parsed.success && evaluatorOf(parsed.data) === undefined) unscored += 1;
    const earlier = placeOf.get(uuid);
    placeOf.set(uuid, place);
    if (!parsed.success) flaws.push(`${place}: ${firstIssue(parsed.error)}`);
    else if (earlier !== undefined)
      flaws.push(`${place}: uuid ${uuid} stands at ${earlier} already`);
    for (const { severity, message } of parsed.success ? scoringProblems(parsed.data) : []) {
      (severity === 'error' ? flaws : warnings).push(`${place}: ${message}`);
    }
    lines.push(exactJson(item));
  }
  if (flaws.length > 0) return { kind: 'problems', problems: flaws };
  if (lines.length === 0) {
    const reasons = [...countsOf(leftOut)].map(([reason, count]) => `${count} × ${reason}`);
    const left = reasons.length > 0 ? `, all were left out: ${reasons.join(', ')}` : '';
    return { kind: 'problems', problems: [`it holds no questions${left}`] };
  }
  return { kind: 'dataset', lines, unscored, warnings };
}
