import { exactInteger, exactJsonIn, exactJsonSchema } from '../../formats/json.js';
import type { Evaluator } from '../../scoring/dataset-item.js';
import { signatures } from '../../scoring/scorer-options.js';

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
export type GoldFunction = (typeof goldFunctions)[number];

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
