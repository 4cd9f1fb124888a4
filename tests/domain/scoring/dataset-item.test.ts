import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import {
  evaluatorProblems,
  evaluatorSchema,
  type Evaluator,
} from '../../../domain/scoring/dataset-item.js';

const inner = (name: string, kwargs: Evaluator['eval_kwargs']): Evaluator['eval_kwargs'] => ({
  eval_func_list: [name],
  eval_kwargs_list: [kwargs],
});

it.each<readonly [string, Evaluator['eval_kwargs'], string]>([
  ['eval_no_such', {}, 'error: the evaluation function eval_no_such is unknown'],
  ['eval_int_exact_match', {}, 'error: eval_int_exact_match lacks gold'],
  [
    'eval_string_exact_match',
    { gold: 'a', ignore_case: true },
    'warning: eval_string_exact_match knows no ignore_case',
  ],
  [
    'eval_paper_relevance_with_reference_answer',
    { question: 'q', reference_answer: 'a', lowercase: true },
    'error: eval_paper_relevance_with_reference_answer accepts no lowercase',
  ],
  [
    'eval_string_fuzzy_match',
    { gold: 'a', threshold: 0.9 },
    'warning: eval_string_fuzzy_match has a threshold of 0.9',
  ],
  [
    'eval_float_exact_match',
    { gold: 1, tolerance: -1 },
    'error: eval_float_exact_match has a gold that it cannot use: tolerance is negative',
  ],
  [
    'eval_float_exact_match',
    { gold: '1.5' },
    'warning: eval_float_exact_match has a gold that --strict cannot use',
  ],
  [
    'eval_string_exact_match',
    { gold: 'a', lowercase: 'true' },
    'warning: eval_string_exact_match has a text for lowercase',
  ],
  [
    'eval_string_exact_match',
    { gold: ['a'] },
    'warning: eval_string_exact_match has a list for gold',
  ],
  [
    'eval_conjunction',
    inner('eval_complex_math_formula_with_llm', { fomulas: 'x', question: 'q' }),
    'error: eval_complex_math_formula_with_llm lacks formulas',
  ],
  [
    'eval_conjunction',
    inner('eval_no_such', {}),
    'error: the evaluation function eval_no_such is unknown',
  ],
  [
    'eval_disjunction',
    { eval_func_list: ['eval_int_exact_match'], eval_kwargs_list: [] },
    'error: eval_disjunction needs a list of functions',
  ],
  [
    'eval_negation',
    { eval_func: 'eval_int_exact_match', eval_kwargs: {} },
    'error: eval_int_exact_match lacks gold',
  ],
  [
    'eval_negation',
    { eval_func: 'eval_int_exact_match', eval_kwargs: 1 },
    'error: eval_negation names no inner function',
  ],
])('finds what is wrong with %s %j', (eval_func, eval_kwargs, problem) => {
  const [first] = evaluatorProblems({ eval_func, eval_kwargs });
  expect(`${first?.severity}: ${first?.message}`).toContain(problem);
});

it.each<Evaluator>([
  { eval_func: 'eval_int_exact_match', eval_kwargs: { gold: 1 } },
  { eval_func: 'eval_scidqa', eval_kwargs: { question: 'q', reference_answer: 'a' } },
  { eval_func: 'eval_conjunction', eval_kwargs: inner('eval_int_exact_match', { gold: 1 }) },
  {
    eval_func: 'eval_negation',
    eval_kwargs: { eval_func: 'eval_int_exact_match', eval_kwargs: { gold: 1 } },
  },
])('has nothing to say about %j', (evaluator) => {
  expect(evaluatorProblems(evaluator)).toEqual([]);
});

const airqa = '../shared/data/airqa/test_data_553.jsonl';

it.skipIf(!existsSync(airqa))(
  'finds the one broken evaluator among the 553 of AirQA (skipped without that file)',
  () => {
    const itemSchema = z.object({ uuid: z.string(), evaluator: evaluatorSchema });
    const items = readFileSync(airqa, 'utf8')
      .trim()
      .split('\n')
      .map((line) => itemSchema.parse(JSON.parse(line)));
    const broken = items.filter(({ evaluator }) =>
      evaluatorProblems(evaluator).some(({ severity }) => severity === 'error'),
    );
    expect(broken.map(({ uuid }) => uuid)).toEqual(['de8d9b7f-4117-53d1-988d-77036e001339']);
  },
);
