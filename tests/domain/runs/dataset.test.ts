import { describe, expect, it } from 'vitest';
import { readDataset, sampleKeysOf, sampleSchema } from '../../../domain/runs/dataset.js';
import { datasetItemSchema } from '../../../domain/scoring/dataset-item.js';

const line = (fields: object): string =>
  JSON.stringify({ uuid: 'q1', question: 'How many?', ...fields });

describe('readDataset', () => {
  it('fills in what may be left out and keeps what it does not know', () => {
    const reading = readDataset(`${line({ difficulty: 3 })}\n\n`);
    expect(reading).toEqual({
      kind: 'items',
      items: [
        {
          uuid: 'q1',
          question: 'How many?',
          answer_format: '',
          tags: [],
          anchor_pdf: [],
          reference_pdf: [],
          conference: [],
          difficulty: 3,
        },
      ],
      warnings: [],
    });
  });

  it.each([
    ['a line that is no JSON', `${line({})}\n{"uuid": `, 'line 2: is not a JSON object'],
    ['a question without text', line({ question: '  ' }), 'line 1: question: must not be empty'],
    [
      'a uuid that stands twice',
      `${line({})}\n\n${line({})}`,
      'line 3: uuid q1 stands on line 1 already',
    ],
    ['a uuid of two lines', line({ uuid: 'a\nb' }), 'line 1: uuid: must be 1 to 512'],
    ['a list where an object belongs', '[1]', 'line 1: Invalid input'],
    [
      'an evaluator without its gold',
      line({ evaluator: { eval_func: 'eval_int_exact_match', eval_kwargs: {} } }),
      'line 1: eval_int_exact_match lacks gold',
    ],
    [
      'a question that would be judged on the scale of the other category',
      line({
        category: 'interpretive',
        evaluator: {
          eval_func: 'eval_long_form_match',
          eval_kwargs: { question: 'Which?', reference_answer: 'That.' },
        },
      }),
      'line 1: eval_long_form_match judges conclusive questions, and the category is interpretive',
    ],
    ['an unknown category', line({ category: 'open' }), 'is conclusive or interpretive'],
    ['an empty file', '\n', 'it holds no questions'],
  ])('names the line of %s', (_name, text, problem) => {
    const reading = readDataset(text);
    expect(reading.kind).toBe('problems');
    expect(reading.kind === 'problems' && reading.problems[0]).toContain(problem);
  });
});

const items = ['q1', 'q2'].map((uuid) =>
  datasetItemSchema.parse({ uuid, question: `Why\n ${'so '.repeat(40)}?`, tags: ['text'] }),
);

it('goes through the whole dataset before the next epoch begins', () => {
  expect(sampleKeysOf(items, 3).map(({ uuid, epoch }) => `${uuid} ${epoch}`)).toEqual([
    'q1 1',
    'q2 1',
    'q1 2',
    'q2 2',
    'q1 3',
    'q2 3',
  ]);
});

it('gives a part of a run without going through the rest of it', () => {
  const places = (start: number, end: number): readonly string[] =>
    sampleKeysOf(items, 2, { start, end }).map(({ uuid, epoch }) => `${uuid} ${epoch}`);
  expect(places(1, 3)).toEqual(['q2 1', 'q1 2']);
  expect(places(3, 100)).toEqual(['q2 2']);
  expect(places(4, 100)).toEqual([]);
});

it('shows each question on one short line, with its tags', () => {
  const [sample] = sampleKeysOf(items, 1);
  expect(sample?.question).toMatch(/^Why so so .*…$/);
  expect(sample?.question).toHaveLength(80);
  expect(sample?.tags).toEqual(['text']);
  expect(sampleSchema.parse(JSON.parse(JSON.stringify(sample)))).toEqual(sample);
});
