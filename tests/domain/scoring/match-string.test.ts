import { expect, it } from 'vitest';
import { goldTexts } from '../../../domain/scoring/dataset-item.js';

it.each([
  ['eval_string_exact_match', { gold: 'BART', lowercase: true }, ['BART']],
  ['eval_structured_object_exact_match', { gold: [true, 1, 'a'] }, ["[True, 1, 'a']"]],
  [
    'eval_reference_answer_and_scoring_points_with_llm',
    { question: 'Why?', reference_answer: 'so', scoring_points: ['a', 'b'] },
    ['so', "['a', 'b']"],
  ],
  ['eval_scidqa', { question: 'Why?', reference_answer: 'so' }, ['so']],
  ['eval_of_nothing', { gold: 1 }, []],
])('of %s are what it compares with', (eval_func, eval_kwargs, texts) => {
  expect(goldTexts({ eval_func, eval_kwargs })).toEqual(texts);
});

it('are those of the inner evaluators where there are some', () => {
  const inner = { eval_func: 'eval_int_exact_match', eval_kwargs: { gold: 2 } };
  const both = {
    eval_func_list: ['eval_string_exact_match', inner.eval_func],
    eval_kwargs_list: [{ gold: 'one' }, inner.eval_kwargs],
  };
  expect(goldTexts({ eval_func: 'eval_conjunction', eval_kwargs: both })).toEqual(['one', '2']);
  expect(goldTexts({ eval_func: 'eval_negation', eval_kwargs: inner })).toEqual(['not 2']);
});

it('are none without an evaluator', () => {
  expect(goldTexts(undefined)).toEqual([]);
});
