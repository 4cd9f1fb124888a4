import { describe, expect, it } from 'vitest';
import type { Evaluator } from '../../../domain/scoring/dataset-item.js';
import { scoreAnswer } from '../../../domain/scoring/score-answer.js';
import type { ScoringMode } from '../../../domain/scoring/scorer-options.js';
import { scored, unscored, type Verdict } from '../../../domain/scoring/verdict.js';

type Kwargs = Evaluator['eval_kwargs'];

const score = (
  name: string,
  answer: string,
  eval_kwargs: Kwargs,
  mode: ScoringMode = 'default',
): Verdict => scoreAnswer({ answer, evaluator: { eval_func: name, eval_kwargs }, mode });

/** What the reference gets wrong and the default mode gets right; `right` is the sound verdict. */
const defects: readonly (readonly [string, string, Kwargs, boolean])[] = [
  [
    'structured_object_exact_match',
    "['A', 'b', 'C']",
    { gold: ['c', 'B', 'a'], ignore_order: true, lowercase: true },
    true,
  ],
  ['structured_object_exact_match', "[' b', 'a']", { gold: ['a', 'b'], ignore_order: true }, true],
  [
    'structured_object_exact_match',
    '[[3, 2], [9, 1]]',
    {
      gold: [
        [1, 9],
        [2, 3],
      ],
      ignore_order: true,
    },
    true,
  ],
  ['structured_object_exact_match', 'no object', { gold: {} }, false],
  ['structured_object_exact_match', '[1.9, 2]', { gold: [1, 2] }, false],
  ['structured_object_exact_match', '[true, null]', { gold: [true, null] }, true],
  ['structured_object_exact_match', 'True', { gold: true }, true],
  [
    'structured_object_exact_match',
    '{"A": 9, "a": 2}',
    { gold: { A: 1, a: 2 }, lowercase: true },
    false,
  ],
  ['structured_object_exact_match', "{1: 'a'}", { gold: { 1: 'a' }, lowercase: true }, true],
  [
    'structured_object_exact_match',
    "['space', 'time']",
    { gold: ['sequence', 'channels'], threshold: 0.9 },
    false,
  ],
  ['string_exact_match', 'BART', { gold: ['BART'] }, true],
  ['string_exact_match', '["BART"]', { gold: ['BART'] }, true],
  ['bool_exact_match', ' True', { gold: true }, true],
  ['bool_exact_match', 'False', { gold: 'False' }, true],
  ['float_exact_match', '2463.5', { gold: '2463.5' }, true],
  ['element_list_included', '[]', { gold: ['a'] }, false],
  ['element_list_overlap', "['a', 'A']", { gold: ['a', 'b'], count: 2, lowercase: true }, false],
  ['element_included', 'BERT', { gold: 'BERT' }, true],
  [
    'conjunction',
    '["bert", true]',
    {
      eval_func_list: ['eval_string_exact_match', 'eval_bool_exact_match'],
      eval_kwargs_list: [{ gold: 'bert' }, { gold: true }],
    },
    true,
  ],
];

describe('defects of the reference', () => {
  it.each(defects)('%s of %s against %j', (name, answer, kwargs, right) => {
    expect(score(`eval_${name}`, answer, kwargs)).toEqual(scored(right));
    expect(score(`eval_${name}`, answer, kwargs, 'strict')).toEqual(scored(!right));
  });
});

describe('evaluators that no answer can meet', () => {
  it.each<readonly [string, Kwargs]>([
    ['eval_string_exact_match', {}],
    ['eval_string_fuzzy_match', { gold: 'a', fuzz_method: 'no_such' }],
    ['eval_string_fuzzy_match', { gold: 'a', threshold: '95' }],
    ['eval_float_exact_match', { gold: 1.5, tolerance: -1 }],
    ['eval_float_exact_match', { gold: 1.5, ndigits: 1.5 }],
    ['eval_int_exact_match', { gold: 'many' }],
    ['eval_element_included', { gold: 3 }],
    ['eval_paper_relevance_with_reference_answer', { reference_answer: 'a' }],
    ['eval_paper_relevance_with_reference_answer', { question: '', reference_answer: 'a', x: 1 }],
    ['eval_negation', { eval_func: 'eval_no_such', eval_kwargs: {} }],
    ['eval_conjunction', { eval_func_list: ['eval_int_exact_match'], eval_kwargs_list: [] }],
  ])('leave the answer unscored, and strictly wrong: %s %j', (name, kwargs) => {
    expect(score(name, '[1]', kwargs)).toMatchObject({
      reason: 'invalid-evaluator',
      message: expect.any(String) as unknown,
    });
    const strict = score(name, '[1]', kwargs, 'strict');
    // A conjunction whose options run out counts as passed.
    expect(strict).toEqual(scored(name === 'eval_conjunction'));
  });

  it.each(['strict', 'default'] as const)('are told from unknown functions: %s', (mode) => {
    expect(score('eval_paper_relevance_with_llm', 'a', {}, mode)).toEqual(
      unscored('unknown-evaluator'),
    );
  });
});

describe('judged functions', () => {
  const judge = {
    name: 'eval_reference_answer_with_llm',
    kwargs: { reference_answer: 'a', question: 'q' },
  };
  const parts = (...others: readonly (readonly [string, Kwargs])[]): Kwargs => ({
    eval_func_list: [judge.name, ...others.map(([name]) => name)],
    eval_kwargs_list: [judge.kwargs, ...others.map(([, kwargs]) => kwargs)],
  });

  it('leave an answer unscored until there is a judge', () => {
    expect(score(judge.name, 'a', judge.kwargs)).toEqual(unscored('needs-judge'));
    expect(
      score('eval_negation', 'a', { eval_func: judge.name, eval_kwargs: judge.kwargs }),
    ).toEqual(unscored('needs-judge'));
  });

  it('are not waited for when another part decides', () => {
    const failing = parts(['eval_int_exact_match', { gold: 2 }]);
    const passing = parts(['eval_int_exact_match', { gold: 1 }]);
    expect(score('eval_conjunction', "['x', 1]", failing)).toEqual(scored(false));
    expect(score('eval_conjunction', "['x', 1]", passing)).toEqual(unscored('needs-judge'));
    expect(score('eval_disjunction', "['x', 1]", passing)).toEqual(scored(true));
    expect(score('eval_disjunction', "['x', 1]", failing)).toEqual(unscored('needs-judge'));
  });
});

it.each(['strict', 'default'] as const)(
  'counts an answer that is an error as wrong: %s',
  (mode) => {
    const kwargs = { eval_func: 'eval_string_exact_match', eval_kwargs: { gold: 'b' } };
    expect(score('eval_negation', '[ERROR]: a', kwargs, mode)).toEqual(scored(false));
  },
);

it.each([
  ['eval_string_fuzzy_match', { gold: 'g'.repeat(90), fuzz_method: 'partial_ratio' }],
  ['eval_structured_object_exact_match', { gold: ['a'] }],
  ['eval_int_exact_match', { gold: 1 }],
])('does not stumble over a very long answer: %s', (name, kwargs) => {
  for (const answer of ['x'.repeat(120_000), '['.repeat(120_000), '9'.repeat(120_000)]) {
    expect(score(name, answer, kwargs)).toEqual(scored(false));
  }
});
