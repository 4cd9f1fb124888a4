import { expect, it } from 'vitest';
import { evaluatorProblems, type Evaluator } from '../../../domain/scoring/dataset-item.js';
import { signatures } from '../../../domain/scoring/scorer-options.js';

type Options = Evaluator['eval_kwargs'];

/** Of every evaluation function: golds that it cannot read, and what is said of each. */
const unreadable: Readonly<Record<string, readonly (readonly [Options, string])[]>> = {
  eval_string_exact_match: [],
  eval_string_fuzzy_match: [
    [{ gold: 'a', fuzz_method: 'soundex' }, 'error: fuzz_method soundex is unknown'],
    [{ gold: 'a', threshold: 120 }, 'error: as an answer, it scores 0'],
    [{ gold: 'a', threshold: 'high' }, 'error: threshold is no number'],
    [{ gold: '!', fuzz_method: 'token_set_ratio' }, 'error: as an answer, it scores 0'],
  ],
  eval_bool_exact_match: [[{ gold: 'maybe' }, 'error: as an answer, it scores 0']],
  eval_int_exact_match: [
    [{ gold: 'eight' }, 'error: gold is no int'],
    [{ gold: '8.0' }, 'error: gold is no int'],
    [{ gold: ['8'] }, 'error: gold is no int'],
    [{ gold: null }, 'error: gold is no int'],
    [{ gold: 8.5 }, 'warning: only --strict can use: as an answer, it scores 0'],
  ],
  eval_float_exact_match: [
    [{ gold: 'half' }, 'error: gold is no number'],
    [{ gold: {} }, 'error: gold is no number'],
    [{ gold: 1, ndigits: 'two' }, 'error: ndigits is no int'],
    [{ gold: 1, tolerance: '1e-3' }, 'error: tolerance is no number'],
    [{ gold: '1.5' }, 'warning: --strict cannot use: as an answer, it scores 0'],
  ],
  eval_structured_object_exact_match: [
    [{ gold: { n: [1.5] }, ndigits: 0.5 }, 'error: ndigits is no int'],
    [{ gold: ['a'], threshold: 50, fuzz_method: 'x' }, 'error: fuzz_method x is unknown'],
  ],
  eval_element_included: [
    [{ gold: 3 }, 'error: gold is no list'],
    [{ gold: [] }, 'error: as an answer, it scores 0'],
    [{ gold: ['eight'], element_type: 'int' }, 'error: gold is no int'],
    [{ gold: ['a'], element_type: 3 }, 'error: element_type is no text'],
  ],
  eval_element_list_included: [
    [{ gold: true }, 'error: gold is no list'],
    [{ gold: ['x'], element_type: 'float' }, 'error: gold is no number'],
  ],
  eval_element_list_overlap: [
    [{ gold: 3 }, 'error: gold is no list'],
    [{ gold: ['a', 'b'], count: 3 }, 'error: as an answer, it scores 0'],
    [{ gold: ['a'], count: 'one' }, 'error: count is no number'],
  ],
  eval_paper_relevance_with_reference_answer: [
    [{ question: 'q', reference_answer: 3 }, 'error: reference_answer is no text'],
    [{ question: 'q', reference_answer: [3] }, 'error: a reference answer is no text'],
  ],
  eval_reference_answer_with_llm: [],
  eval_candidate_reference_answer_with_llm: [
    [
      { question: 'q', candidate_reference_answers: 'a' },
      'warning: only --strict can use: candidate_reference_answers is a text and no list',
    ],
    [
      { question: 'q', candidate_reference_answers: [1] },
      'error: candidate_reference_answers holds something that is no text',
    ],
  ],
  eval_scoring_points_with_llm: [
    [{ question: 'q', scoring_points: 3 }, 'error: scoring_points is no list'],
  ],
  eval_partial_scoring_points_with_llm: [
    [{ question: 'q', scoring_points: ['a'], count: 2 }, 'error: count must be between 1 and 1'],
    [{ question: 'q', scoring_points: ['a'], count: 0 }, 'error: count must be between 1 and 1'],
  ],
  eval_reference_answer_and_scoring_points_with_llm: [
    [
      { question: 'q', reference_answer: 'a', scoring_points: [null] },
      'error: scoring_points holds something that is no text',
    ],
  ],
  eval_complex_math_formula_with_llm: [
    [{ question: 'q', formulas: [2] }, 'error: formulas holds something that is no text'],
  ],
  eval_m3sciqa: [],
  eval_scidqa: [],
  eval_long_form_match: [],
  eval_long_form_grade: [],
  eval_conjunction: [
    [
      { eval_func_list: ['eval_int_exact_match'], eval_kwargs_list: [{ gold: 'eight' }] },
      'error: gold is no int',
    ],
  ],
  eval_disjunction: [
    [
      {
        eval_func_list: ['eval_bool_exact_match', 'eval_int_exact_match'],
        eval_kwargs_list: [{ gold: true }, { gold: 'eight' }],
      },
      'error: gold is no int',
    ],
  ],
  eval_negation: [
    [
      { eval_func: 'eval_int_exact_match', eval_kwargs: { gold: 'eight' } },
      'error: gold is no int',
    ],
  ],
  eval_program: [],
  eval_execution_match: [
    [{ gold_csv: 'a,b\n"1,2' }, 'error: csv: '],
    [{ gold_csv: ['a\n1', 'a\n"1'] }, 'error: csv: '],
    [{ rule: 'dabench', gold: [['the mean', '1']] }, 'error: as an answer, it scores 0'],
    [{ rule: 'dabench', gold: [['mean', 'a\nb']] }, 'error: as an answer, it scores 0'],
  ],
};

it('is tried for every evaluation function', () => {
  expect(Object.keys(unreadable).toSorted()).toEqual([...signatures.keys()].toSorted());
});

it.each(
  Object.entries(unreadable).flatMap(([name, cases]) =>
    cases.map(([options, problem]) => [name, options, problem] as const),
  ),
)('%s with %j has the problem that it should', (eval_func, eval_kwargs, problem) => {
  const [severity, text = ''] = problem.split(/: (.*)/s);
  const found = evaluatorProblems({ eval_func, eval_kwargs });
  expect(found.map((each) => each.severity)).toEqual([severity]);
  expect(found[0]?.message).toContain(text);
});

it.each<readonly [string, Options]>([
  ['eval_string_exact_match', { gold: '' }],
  ['eval_string_fuzzy_match', { gold: 'a b', fuzz_method: 'partial_token_set_ratio' }],
  ['eval_bool_exact_match', { gold: false }],
  ['eval_int_exact_match', { gold: ' 8 ' }],
  ['eval_float_exact_match', { gold: 1e300, ndigits: 2 }],
  ['eval_structured_object_exact_match', { gold: { a: [1, 'x', null, true, 2.5] } }],
  ['eval_element_included', { gold: ['b', 'a'] }],
  ['eval_element_list_overlap', { gold: ['a', 'b'], count: 2 }],
  ['eval_paper_relevance_with_reference_answer', { question: 'q', reference_answer: ['A', 'B'] }],
  ['eval_scoring_points_with_llm', { question: 'q', scoring_points: ['a'] }],
  ['eval_execution_match', { gold_sql: 'SELECT 1', gold_csv: 'a\n1' }],
  ['eval_execution_match', { rule: 'dabstep', gold: '1, 2' }],
  ['eval_execution_match', { rule: 'dabench', gold: [['mean', '1.5']] }],
])('%s with %j has none', (eval_func, eval_kwargs) => {
  expect(evaluatorProblems({ eval_func, eval_kwargs })).toEqual([]);
});
