import { describe, expect, it } from 'vitest';
import { holds, wantedOf } from '../../bench/extraction/search-quality.js';
import { readDataset } from '../../domain/runs/dataset.js';

const questionOf = (gold: unknown, changes: object = {}) => {
  const dataset = readDataset(
    JSON.stringify({
      uuid: 'q1',
      question: 'How many ovens?',
      answer_format: 'Your answer should be an integer.',
      tags: ['single', 'text'],
      anchor_pdf: ['p1'],
      evaluator: { eval_func: 'eval_string_exact_match', eval_kwargs: { gold } },
      ...changes,
    }),
  );
  if (dataset.kind !== 'items' || !dataset.items[0]) throw new Error(JSON.stringify(dataset));
  return dataset.items[0];
};

describe('what the hits of a question must have', () => {
  it.each([
    ['text', 'four ovens', ['four ovens']],
    ['a number', 850, ['850']],
    ['a list', [1.5, 0.75], ['1.5', '0.75']],
    ['an object', { seconds: 3, trials: 'five' }, ['3', 'five']],
  ])('is every part of %s', (_, gold, answer) => {
    expect(wantedOf(questionOf(gold))).toEqual({
      question: 'How many ovens?',
      papers: ['p1'],
      answer,
    });
  });

  it.each([false, 6])('cannot be told from %j', (gold) => {
    expect(wantedOf(questionOf(gold))).toBeNull();
  });

  it('cannot be told of questions about metadata', () => {
    expect(wantedOf(questionOf(16, { tags: ['metadata'] }))).toBeNull();
  });
});

describe('a text', () => {
  it.each([
    ['It repeats 850 calls.', '850', true],
    ['It repeats 1,850 calls.', '850', false],
    ['It repeats 1,850 calls.', '1850', true],
    ['k1 is 1.5.', '1.5', true],
    ['k1 is 1.55', '1.5', false],
    ['k1 is 1.5', '5', false],
    ['Pause Growth, no cut', 'pause growth, no cut', true],
    ['a (b)', '(b)', true],
  ])('%j and the answer %j: %j', (text, part, expected) => {
    expect(holds(text, part)).toBe(expected);
  });
});
