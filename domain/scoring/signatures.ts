/** The named arguments of an evaluation function, as its evaluators may give them. */
export interface Signature {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Whether a judge model decides. */
  readonly judged: boolean;
  /** Whether an argument it does not know is an error; elsewhere it changes nothing. */
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
  ['eval_conjunction', computed(['eval_func_list', 'eval_kwargs_list'], [], true)],
  ['eval_disjunction', computed(['eval_func_list', 'eval_kwargs_list'], [], true)],
  ['eval_negation', computed(['eval_func', 'eval_kwargs'], [], true)],
]);
