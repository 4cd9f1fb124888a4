import { describe, expect, it } from 'vitest';
import {
  epochRanges,
  readDataset,
  sampleKeysOf,
  sampleSchema,
} from '../../../domain/runs/dataset.js';
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
    ['a list where an object belongs', '[1]', 'line 1: is a list, where one JSON object is wanted'],
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

it.each([
  [1, 3, ['1: 1-2', '2: 0-1']],
  [0, 6, ['1: 0-2', '2: 0-2', '3: 0-2']],
  [5, 100, ['3: 1-2']],
  [6, 100, []],
])('finds the parts of the dataset from sample %i to %i: %j', (start, end, parts) => {
  const ranges = epochRanges({ start, end }, 2, 3);
  expect(ranges.map((part) => `${part.epoch}: ${part.start}-${part.end}`)).toEqual(parts);
});

it('shows each question on one short line, with its tags', () => {
  const [sample] = sampleKeysOf(items, 1);
  expect(sample?.question).toMatch(/^Why so so .*…$/);
  expect(sample?.question).toHaveLength(80);
  expect(sample?.tags).toEqual(['text']);
  expect(sampleSchema.parse(JSON.parse(JSON.stringify(sample)))).toEqual(sample);
});
