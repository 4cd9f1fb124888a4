import { expect, it } from 'vitest';
import { goldText } from '../../../domain/report-page/gold-text.js';

it.each([
  ['is written as answers are', 'eval_bool_exact_match', { gold: true }, 'True'],
  [
    'has a line for each text',
    'eval_reference_answer_and_scoring_points_with_llm',
    { question: 'Why?', reference_answer: 'so', scoring_points: ['a', 'b'] },
    "so\n['a', 'b']",
  ],
  ['is all the options of an unknown function', 'eval_of_nothing', { wanted: 1 }, '{"wanted":1}'],
])('%s', (_, eval_func, eval_kwargs, text) => {
  expect(goldText({ eval_func, eval_kwargs })).toBe(text);
});

it('is empty without an evaluator', () => {
  expect(goldText(undefined)).toBe('');
});
