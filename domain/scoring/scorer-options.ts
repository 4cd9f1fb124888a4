import type { PythonValue } from '../formats/python/value.js';
import type { Judge, JudgeQuestion } from './judging/judge-request.js';
import { longFormGrade, longFormMatch, type Verdict } from './verdict.js';

export const scoringModes = ['strict', 'default'] as const;

/** A verdict, or the next question for the judge. */
export type Finding = Verdict | { readonly kind: 'open'; readonly question: JudgeQuestion };

/** `strict` gives the reference's scores, with its defects. `default` avoids the defects, and otherwise gives the same scores. */
export type ScoringMode = 'strict' | 'default';

/** The named arguments of an evaluation function, the gold answer among them. */
export type Options = ReadonlyMap<string, PythonValue>;

/** How two values are compared, also inside lists and dicts. */
export interface Comparison {
  readonly options: Options;
  readonly mode: ScoringMode;
  /** The part of the evaluator: `0`, and `0.2` for the third part of a logical function. */
  readonly part: string;
  /** Null without a judge. */
  readonly judge: Judge | null;
}

/** The evaluator is wrong, not the answer: an option is missing, unknown or of the wrong type. */
export class EvaluatorError extends Error {}

/** @throws EvaluatorError if the option is absent */
export function required(options: Options, name: string): PythonValue {
  const value = options.get(name);
  if (value === undefined) throw new EvaluatorError(`${name} is missing`);
  return value;
}

/** Whether the option is truthy in Python. Every text but the empty one is, also `"false"`. */
export function isEnabled(options: Options, name: string): boolean {
  const value = options.get(name);
  return value !== undefined && isTruthy(value);
}

export function isTruthy(value: PythonValue): boolean {
  switch (value.kind) {
    case 'none':
      return false;
    case 'ellipsis':
      return true;
    case 'bool':
      return value.value;
    case 'int':
    case 'float':
      return Number(value.value) !== 0;
    case 'complex':
      return value.real !== 0 || value.imaginary !== 0;
    case 'str':
    case 'bytes':
      return value.value !== '';
    case 'list':
    case 'tuple':
    case 'set':
      return value.items.length > 0;
    case 'dict':
      return value.entries.length > 0;
  }
}

/** @throws EvaluatorError if the option is not a number */
export function numberOption(options: Options, name: string, otherwise: number): number {
  const value = options.get(name);
  if (value === undefined) return otherwise;
  if (value.kind === 'int' || value.kind === 'float' || value.kind === 'bool') {
    return Number(value.value);
  }
  throw new EvaluatorError(`${name} is no number`);
}

/** @throws EvaluatorError if the option is not a text */
export function textOption(options: Options, name: string, otherwise: string): string {
  const value = options.get(name);
  if (value === undefined) return otherwise;
  if (value.kind === 'str') return value.value;
  throw new EvaluatorError(`${name} is no text`);
}

/** The members over which Python's `for` iterates. @throws EvaluatorError for a value that is not iterable */
export function membersOf(value: PythonValue, name: string): readonly PythonValue[] {
  switch (value.kind) {
    case 'list':
    case 'tuple':
    case 'set':
      return value.items;
    case 'dict':
      return value.entries.map(([key]) => key);
    case 'str':
      return Array.from(value.value, (char) => ({ kind: 'str', value: char }));
    case 'none':
    case 'ellipsis':
    case 'bool':
    case 'int':
    case 'float':
    case 'complex':
    case 'bytes':
      throw new EvaluatorError(`${name} is no list`);
  }
}

/** The allowed options of an evaluation function. */
export interface Signature {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Whether the function needs a judge. */
  readonly judged: boolean;
  /** Whether an unknown option is an error. Otherwise it is ignored. */
  readonly exact: boolean;
}

const textOptions = ['lowercase', 'ignore_blank'];
const fuzzyOptions = [...textOptions, 'fuzz_method', 'threshold'];
const floatOptions = ['ndigits', 'tolerance'];
const structureOptions = [...fuzzyOptions, ...floatOptions, 'ignore_order'];
const elementOptions = [...structureOptions, 'element_type'];
const judgeOptions = ['llm_model', 'temperature'];

const computed = (
  required: readonly string[],
  optional: readonly string[] = [],
  exact = false,
): Signature => ({ required, optional, judged: false, exact });

const judged = (
  required: readonly string[],
  optional: readonly string[] = [],
  exact = false,
): Signature => ({ required, optional: [...optional, ...judgeOptions], judged: true, exact });

/** All evaluation functions. */
export const signatures: ReadonlyMap<string, Signature> = new Map([
  ['eval_string_exact_match', computed(['gold'], textOptions)],
  ['eval_string_fuzzy_match', computed(['gold'], fuzzyOptions)],
  ['eval_bool_exact_match', computed(['gold'])],
  ['eval_int_exact_match', computed(['gold'])],
  ['eval_float_exact_match', computed(['gold'], floatOptions)],
  ['eval_structured_object_exact_match', computed(['gold'], structureOptions)],
  ['eval_element_included', computed(['gold'], elementOptions)],
  ['eval_element_list_included', computed(['gold'], elementOptions)],
  ['eval_element_list_overlap', computed(['gold'], [...elementOptions, 'count'])],
  [
    'eval_paper_relevance_with_reference_answer',
    computed(['question', 'reference_answer'], ['threshold'], true),
  ],
  ['eval_reference_answer_with_llm', judged(['reference_answer', 'question'])],
  ['eval_candidate_reference_answer_with_llm', judged(['candidate_reference_answers', 'question'])],
  ['eval_scoring_points_with_llm', judged(['scoring_points', 'question'], ['ignore_order'])],
  ['eval_partial_scoring_points_with_llm', judged(['scoring_points', 'question'], ['count'])],
  [
    'eval_reference_answer_and_scoring_points_with_llm',
    judged(['reference_answer', 'scoring_points', 'question'], ['ignore_order']),
  ],
  ['eval_complex_math_formula_with_llm', judged(['formulas', 'question'], ['ignore_order'])],
  ['eval_m3sciqa', judged(['question', 'reference_answer'], ['model'])],
  ['eval_scidqa', judged([], ['question', 'reference_answer', 'model'], true)],
  [longFormMatch, judged(['question', 'reference_answer'])],
  [longFormGrade, judged(['question', 'reference_answer'])],
  ['eval_conjunction', computed(['eval_func_list', 'eval_kwargs_list'], [], true)],
  ['eval_disjunction', computed(['eval_func_list', 'eval_kwargs_list'], [], true)],
  ['eval_negation', computed(['eval_func', 'eval_kwargs'], [], true)],
  ['eval_program', computed(['program'])],
  [
    'eval_execution_match',
    computed(
      [],
      ['rule', 'gold_sql', 'gold_csv', 'gold', 'condition_cols', 'ignore_order', 'ordered'],
      true,
    ),
  ],
]);
