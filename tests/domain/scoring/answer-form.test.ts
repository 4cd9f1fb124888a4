import { describe, expect, it } from 'vitest';
import { anyValueOfJson, type Action } from '../../../domain/agent/actions/action.js';
import { answerFormError, parseErrorKind } from '../../../domain/agent/actions/parse-error.js';
import type { ExactJson } from '../../../domain/formats/json.js';
import type { Evaluator } from '../../../domain/scoring/dataset-item.js';
import { scoreAnswer } from '../../../domain/scoring/score-answer.js';
import { formLacking, withFormChecked } from '../../../domain/scoring/answer-form.js';
import { finishedTurn } from '../../support/runs/question-material.js';

const by = (name: string, gold: ExactJson): Evaluator => ({
  eval_func: `eval_${name}`,
  eval_kwargs: { gold },
});
const both = (...names: readonly string[]): Evaluator => ({
  eval_func: 'eval_conjunction',
  eval_kwargs: { eval_func_list: names, eval_kwargs_list: names.map(() => ({ gold: 'a' })) },
});

describe('the form of an answer', () => {
  it.each<[string, Evaluator, string | null]>([
    ['about 42', by('int_exact_match', 42), 'an integer'],
    ['42.0', by('int_exact_match', 42), 'an integer'],
    [' 7 ', by('int_exact_match', 42), null],
    ['87 %', by('float_exact_match', 0.87), 'a number'],
    ['1e-3', by('float_exact_match', 0.87), null],
    ['It is true.', by('bool_exact_match', false), 'true or false'],
    ['Yes', by('bool_exact_match', false), null],
    ['BLEU and chrF', by('structured_object_exact_match', ['BLEU', 'chrF']), 'a list'],
    ["['TER']", by('structured_object_exact_match', ['BLEU', 'chrF']), null],
    ['BLEU', by('structured_object_exact_match', ['BLEU']), null],
    ['["a"]', by('structured_object_exact_match', { a: 1 }), 'an object'],
    ['{"b": 2}', by('structured_object_exact_match', { a: 1 }), null],
    ['anything', by('structured_object_exact_match', 'a text'), null],
    ['a, b', both('eval_string_exact_match', 'eval_string_exact_match'), 'a list'],
    ["('a', 'b')", both('eval_string_exact_match', 'eval_string_exact_match'), null],
    ['a', both('eval_string_exact_match'), null],
    ['', by('int_exact_match', 42), null],
    ['a title', by('string_exact_match', 'another'), null],
    ['anything', { eval_func: 'of_a_plugin', eval_kwargs: {} }, null],
  ])('%j for %o lacks %s', (answer, evaluator, form) => {
    expect(formLacking(answer, evaluator)).toBe(form);
  });

  const values: readonly ExactJson[] = [1, 0, 0.5, true, false, 'a', [], ['a'], ['a', 1], { a: 1 }];
  const answers = [
    ...['1', '1.0', ' 1', '1 %', 'nan', 'yes', 'T', 'no.', 'a', 'a, 1', '[]', '[1', '["a", 1]'],
    ...["('a', 1)", '“a”', '{"a": 1}', "{'a': 1}", '{a: 1}', 'null', 'None', '[true, null]'],
  ];
  const names = ['int', 'float', 'bool', 'structured_object'].map((name) => `${name}_exact_match`);

  it.each(names)('is refused by %s only where no gold accepts it', (name) => {
    for (const answer of answers) {
      for (const gold of values) {
        const evaluator = by(name, gold);
        const verdict = scoreAnswer({ answer, evaluator, mode: 'default' });
        if (verdict.kind === 'scored' && verdict.score > 0)
          expect([answer, gold, formLacking(answer, evaluator)]).toEqual([answer, gold, null]);
      }
    }
  });
});

describe('an answer in a form that cannot be scored', () => {
  const answer: Action = { kind: 'GenerateAnswer', answer: anyValueOfJson('about 42') };
  const reading = { kind: 'action', thought: 'so', action: answer } as const;
  const needsInt = by('int_exact_match', 42);

  it('is refused once, and then taken as it is', () => {
    const refused = withFormChecked(reading, [], needsInt);
    expect(refused).toEqual({ kind: 'error', error: answerFormError('an integer') });
    expect(parseErrorKind(answerFormError('an integer'))).toBe('answer-form');
    const told = finishedTurn(1, answer, '', { reading: refused });
    expect(withFormChecked(reading, [told], needsInt)).toBe(reading);
  });

  it('is taken where nothing is known of its form, and beside other calls', () => {
    expect(withFormChecked(reading, [], undefined)).toBe(reading);
    const several = { ...reading, calls: [] };
    expect(withFormChecked(several, [], needsInt)).toBe(several);
    const error = { kind: 'error', error: 'unreadable' } as const;
    expect(withFormChecked(error, [], needsInt)).toBe(error);
  });
});
