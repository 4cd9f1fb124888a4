import { z } from 'zod';
import { jsonIn } from '../json-in.js';
import type { Evaluator } from '../questions/evaluator.js';
import { signatures } from '../scoring/signatures.js';

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

export type GoldReading =
  | { readonly kind: 'evaluator'; readonly evaluator: Evaluator }
  | { readonly kind: 'problem'; readonly problem: string };

/** The evaluator for golds that are written as texts. @param golds - at least one; an answer that meets any of them is right */
export function goldEvaluator(
  golds: readonly string[],
  question: string,
  comparison: GoldComparison,
): GoldReading {
  const evaluators: Evaluator[] = [];
  for (const gold of golds) {
    const value = valueOf(gold, comparison.function);
    if (value === undefined) {
      return {
        kind: 'problem',
        problem: `gold: ${JSON.stringify(gold.slice(0, 60))} is not what ${comparison.function} compares`,
      };
    }
    evaluators.push(evaluatorFor(value, question, comparison));
  }
  const [first, ...others] = evaluators;
  if (first === undefined) return { kind: 'problem', problem: 'gold: there is none' };
  return {
    kind: 'evaluator',
    evaluator:
      others.length === 0
        ? first
        : {
            eval_func: 'eval_disjunction',
            eval_kwargs: {
              eval_func_list: evaluators.map(({ eval_func }) => eval_func),
              eval_kwargs_list: evaluators.map(({ eval_kwargs }) => eval_kwargs),
            },
          },
  };
}

function evaluatorFor(
  gold: Gold,
  question: string,
  { function: name, lowercase }: GoldComparison,
): Evaluator {
  const takesCase = signatures.get(name)?.optional.includes('lowercase') ?? false;
  return {
    eval_func: name,
    eval_kwargs:
      name === 'eval_reference_answer_with_llm'
        ? { reference_answer: gold, question }
        : { gold, ...(lowercase && takesCase && { lowercase: true }) },
  };
}

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
      return /^\s*-?\d{1,15}\s*$/.test(text) ? Number(text) : undefined;
    case 'eval_float_exact_match':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
    case 'eval_structured_object_exact_match':
      return jsonGold(text);
    case 'eval_element_included':
    case 'eval_element_list_included':
    case 'eval_element_list_overlap': {
      const list = jsonGold(text);
      return Array.isArray(list) ? list : [text];
    }
  }
}

const jsonGold = (text: string): Gold | undefined => z.json().safeParse(jsonIn(text)).data;
