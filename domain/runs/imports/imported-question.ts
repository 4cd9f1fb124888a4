import { v5 as uuid5 } from 'uuid';
import {
  exactJson,
  firstIssue,
  exactInteger,
  exactJsonIn,
  exactJsonSchema,
} from '../../formats/json.js';
import {
  datasetItemSchema,
  evaluatorOf,
  scoringProblems,
  type Evaluator,
} from '../../scoring/dataset-item.js';
import { signatures } from '../../scoring/scorer-options.js';
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

type Gold = Evaluator['eval_kwargs'][string];

/** Functions that an answer can be scored by where a file has a gold and does not say how it is compared. */
export const goldFunctions = [
  'eval_string_exact_match',
  'eval_string_fuzzy_match',
  'eval_bool_exact_match',
  'eval_int_exact_match',
  'eval_float_exact_match',
  'eval_structured_object_exact_match',
  'eval_element_included',
  'eval_element_list_included',
  'eval_element_list_overlap',
  'eval_reference_answer_with_llm',
] as const;
type GoldFunction = (typeof goldFunctions)[number];

/** How golds are compared with answers. */
export interface GoldComparison {
  readonly function: GoldFunction;
  /** Upper and lower case are the same, where the function can have it so. */
  readonly lowercase: boolean;
}

/**
 * The evaluator for golds that are written as texts, or why there is none.
 * @param golds - at least one; an answer that meets any of them is right
 */
export function goldEvaluator(
  golds: readonly string[],
  question: string,
  comparison: GoldComparison,
): Evaluator | string {
  const values: Gold[] = [];
  for (const gold of golds) {
    const value = valueOf(gold, comparison.function);
    if (value === undefined) {
      return `gold: ${JSON.stringify(gold.slice(0, 60))} is not what ${comparison.function} compares`;
    }
    values.push(value);
  }
  const [first, ...others] = values;
  if (first === undefined) return 'gold: there is none';
  if (others.length === 0) return evaluatorFor(first, question, comparison);
  return (
    evaluatorForAny(values, question, comparison) ??
    `gold: there are ${values.length}, and ${comparison.function} compares with one`
  );
}

const evaluatorFor = (gold: Gold, question: string, comparison: GoldComparison): Evaluator => ({
  eval_func: comparison.function,
  eval_kwargs:
    comparison.function === 'eval_reference_answer_with_llm'
      ? { reference_answer: gold, question }
      : { gold, ...caseOf(comparison.function, comparison) },
});

/** How `eval_element_included` compares with each gold as another function does; those it cannot stand for are absent. */
const asElement: Partial<Record<GoldFunction, Evaluator['eval_kwargs']>> = {
  eval_string_exact_match: {},
  eval_string_fuzzy_match: { threshold: 95 },
  eval_int_exact_match: { element_type: 'int' },
  eval_float_exact_match: { element_type: 'float', ndigits: null },
  eval_structured_object_exact_match: { element_type: 'structured', ndigits: null },
};

/**
 * Null where no function finds right what meets any of several. `eval_disjunction` is none: it looks at one member of the
 * answer for each of its parts.
 */
function evaluatorForAny(
  golds: readonly Gold[],
  question: string,
  comparison: GoldComparison,
): Evaluator | null {
  const { function: name } = comparison;
  if (name === 'eval_reference_answer_with_llm') {
    return {
      eval_func: 'eval_candidate_reference_answer_with_llm',
      eval_kwargs: { candidate_reference_answers: [...golds], question },
    };
  }
  const options = asElement[name];
  if (options === undefined) return null;
  return {
    eval_func: 'eval_element_included',
    eval_kwargs: { gold: [...golds], ...options, ...caseOf(name, comparison) },
  };
}

const caseOf = (name: string, { lowercase }: GoldComparison): { lowercase?: true } =>
  lowercase && signatures.get(name)?.optional.includes('lowercase') ? { lowercase: true } : {};

/** Undefined where the function could compare nothing with it. */
function valueOf(text: string, name: GoldFunction): Gold | undefined {
  switch (name) {
    case 'eval_string_exact_match':
    case 'eval_string_fuzzy_match':
    case 'eval_reference_answer_with_llm':
      return text;
    case 'eval_bool_exact_match':
      return { true: true, false: false }[text.trim().toLowerCase()];
    case 'eval_int_exact_match':
      return /^\s*-?\d{1,300}\s*$/.test(text) ? exactInteger(text.trim()) : undefined;
    case 'eval_float_exact_match':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
    case 'eval_structured_object_exact_match':
      return jsonGold(text);
    case 'eval_element_included':
    case 'eval_element_list_included':
    case 'eval_element_list_overlap': {
      const list = jsonGold(text);
      // Array.isArray does not narrow a union that holds a readonly array.
      return Array.isArray(list) ? (list as Gold) : [text];
    }
  }
}

const jsonGold = (text: string): Gold | undefined =>
  exactJsonSchema.safeParse(exactJsonIn(text)).data;
