import { describe, expect, it } from 'vitest';
import type { Evaluator } from '../../../domain/scoring/dataset-item.js';
import {
  readGolds,
  readPredictions,
  scorePrediction,
} from '../../../domain/scoring/predictions.js';
import type { ScoringMode } from '../../../domain/scoring/scorer-options.js';
import { sampleKey } from '../../support/runs/example-records.js';

const lines = (...values: (object | string)[]): string =>
  values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('\n');
const int = (gold: number): Evaluator => ({
  eval_func: 'eval_int_exact_match',
  eval_kwargs: { gold },
});

describe('readGolds', () => {
  it('takes items of the reference and items without a question', () => {
    const { items, problems } = readGolds(
      lines({ uuid: 'a', question: 'Why?', tags: ['text'], evaluator: int(1), year: 2024 }, '', {
        uuid: 'b',
        evaluator: int(2),
      }),
    );
    expect(problems).toEqual([]);
    expect(items).toMatchObject([
      { uuid: 'a', tags: ['text'], year: 2024 },
      { uuid: 'b', tags: [] },
    ]);
  });

  it('names every line that nothing can be scored by', () => {
    const unknown = { eval_func: 'eval_no_such', eval_kwargs: {} };
    const inside = { eval_func_list: ['eval_no_such'], eval_kwargs_list: [{}] };
    const { problems } = readGolds(
      lines(
        { uuid: 'a', evaluator: unknown },
        '{"uuid":',
        { uuid: 'b', evaluator: { eval_func: 'eval_conjunction', eval_kwargs: inside } },
        { uuid: 'a', evaluator: int(1) },
      ),
    );
    expect(problems).toEqual([
      expect.stringMatching(/^line 2: /),
      'line 4: uuid a stands on line 1 already',
      'line 1: the evaluation function eval_no_such is unknown',
      'line 3: the evaluation function eval_no_such is unknown',
    ]);
    expect(readGolds('\n').problems).toEqual(['it holds no items']);
  });

  it('warns of an evaluator that gives no score, and goes on', () => {
    const evaluator = { eval_func: 'eval_int_exact_match', eval_kwargs: {} };
    expect(readGolds(lines({ uuid: 'a', evaluator }))).toMatchObject({
      problems: [],
      warnings: ['line 1: eval_int_exact_match lacks gold'],
    });
  });
});

describe('readPredictions', () => {
  const golds = new Set(['a', 'b']);

  it('names unknown and doubled ids and lines that are no prediction', () => {
    const { problems } = readPredictions(
      lines(
        { uuid: 'a', answer: '1' },
        { uuid: 'c', answer: '1' },
        { uuid: 'a', answer: '2' },
        { uuid: 'a', epoch: 2, answer: '2' },
        { uuid: 'b' },
        'no JSON',
      ),
      golds,
    );
    expect(problems).toEqual([
      expect.stringMatching(/^line 5: /),
      expect.stringMatching(/^line 6: /),
      'line 3: uuid a stands on line 1 already',
      'line 2: there is no gold for uuid c',
    ]);
    expect(readPredictions('', golds).problems).toEqual(['it holds no predictions']);
  });

  it('keeps an answer as it is written', () => {
    const { predictions } = readPredictions(
      '{"uuid": "a", "answer": [1, 1.0, true], "other": 1}\n{"uuid": "b", "answer": null}',
      golds,
    );
    expect(predictions).toEqual([
      {
        ...sampleKey('a'),
        outcome: 'answered',
        answer: {
          kind: 'list',
          items: [
            { kind: 'int', value: 1n },
            { kind: 'float', value: 1 },
            { kind: 'bool', value: true },
          ],
        },
      },
      { ...sampleKey('b'), outcome: 'answered', answer: null },
    ]);
  });

  it('reads the results of a run, and how each question ended', () => {
    const failure = { kind: 'infra-error', failure: 'Unknown', message: 'lost' };
    const { predictions } = readPredictions(
      lines({ uuid: 'a', epoch: 3, answer: null, outcome: failure, turns: 2 }),
      golds,
    );
    expect(predictions).toEqual([{ ...sampleKey('a', 3), answer: null, outcome: 'infra-error' }]);
  });
});

describe('scorePrediction', () => {
  const judged: Evaluator = {
    eval_func: 'eval_reference_answer_with_llm',
    eval_kwargs: { reference_answer: 'a', question: 'q' },
  };

  it.each<[string, object, Evaluator | undefined, string | number]>([
    ['a right text', { answer: '42' }, int(42), 1],
    ['a native answer', { answer: 42 }, int(42), 1],
    ['a wrong answer', { answer: '41' }, int(42), 0],
    ['a native list', { answer: [42] }, int(42), 0],
    ['no answer', { answer: null }, int(42), 0],
    ['an error for an answer', { answer: '[error]: lost' }, int(42), 0],
    ['an answer that needs a judge', { answer: 'a' }, judged, 'needs-judge'],
    ['an error that would need a judge', { answer: '[ERROR]: lost' }, judged, 0],
    ['no evaluator', { answer: 'a' }, undefined, 'no-evaluator'],
    [
      'a failure outside the model',
      { answer: null, outcome: { kind: 'cancelled' } },
      int(42),
      'outside-failure',
    ],
    [
      'a question given up',
      { answer: null, outcome: { kind: 'turn-limit', maxTurns: 20 } },
      int(42),
      0,
    ],
  ])('scores %s', (_name, line, evaluator, wanted) => {
    const golds = new Set(['a']);
    const [prediction] = readPredictions(lines({ uuid: 'a', ...line }), golds).predictions;
    if (!prediction) throw new Error('one prediction was written');
    const { verdict, score } = scorePrediction(prediction, { evaluator }, 'default');
    expect(verdict.kind === 'scored' ? verdict.score : verdict.reason).toBe(wanted);
    expect(score).toBe(typeof wanted === 'number' ? wanted : null);
  });

  const text = (gold: string): Evaluator => ({
    eval_func: 'eval_string_exact_match',
    eval_kwargs: { gold },
  });
  const list = (gold: readonly string[]): Evaluator => ({
    eval_func: 'eval_structured_object_exact_match',
    eval_kwargs: { gold: [...gold] },
  });
  const elements: Evaluator = {
    eval_func: 'eval_element_list_included',
    eval_kwargs: { gold: ['None', 'x'] },
  };
  const negation: Evaluator = { eval_func: 'eval_negation', eval_kwargs: { ...int(42) } };

  it.each<[string, object, Evaluator, number | string, number | string]>([
    ['a text', {}, text('None'), 1, 0],
    ['another text', {}, text('null'), 0, 0],
    ['a list', {}, list(['None']), 1, 0],
    ['a longer list', {}, list(['None', 'x']), 0, 0],
    ['elements', {}, elements, 1, 0],
    ['a number', {}, int(0), 0, 0],
    ['a negation', {}, negation, 1, 0],
    ['a judge', {}, judged, 'needs-judge', 0],
    ['a text, of a failure', { outcome: { kind: 'turn-limit', maxTurns: 20 } }, text('None'), 0, 0],
  ])('scores a JSON null by %s as None only strictly', (_name, line, evaluator, ...wanted) => {
    const scores = (['strict', 'default'] as const).map((mode) => {
      const file = lines({ uuid: 'a', answer: null, ...line });
      const [prediction] = readPredictions(file, new Set(['a']), mode).predictions;
      if (!prediction) throw new Error('one prediction was written');
      const { verdict } = scorePrediction(prediction, { evaluator }, mode);
      return verdict.kind === 'scored' ? verdict.score : verdict.reason;
    });
    expect(scores).toEqual(wanted);
  });

  it.each<[ScoringMode, unknown]>([
    ['strict', { kind: 'scored', score: 0 }],
    ['default', { kind: 'unscored', reason: 'invalid-evaluator', message: 'gold is missing' }],
  ])('takes an evaluator without its gold as %s scoring does', (mode, verdict) => {
    const evaluator = { eval_func: 'eval_int_exact_match', eval_kwargs: {} };
    const prediction = {
      ...sampleKey('a'),
      answer: { kind: 'str', value: '1' },
      outcome: 'answered',
    } as const;
    expect(scorePrediction(prediction, { evaluator }, mode)).toMatchObject({ verdict });
  });
});
