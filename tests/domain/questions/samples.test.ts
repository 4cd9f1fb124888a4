import { expect, it } from 'vitest';
import { datasetItemSchema } from '../../../domain/questions/dataset-item.js';
import { samplesOf, sampleSchema } from '../../../domain/questions/samples.js';

const items = ['q1', 'q2'].map((uuid) =>
  datasetItemSchema.parse({ uuid, question: `Why\n ${'so '.repeat(40)}?`, tags: ['text'] }),
);

it('goes through the whole dataset before the next epoch begins', () => {
  expect(samplesOf(items, 3).map(({ uuid, epoch }) => `${uuid} ${epoch}`)).toEqual([
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
    samplesOf(items, 2, { start, end }).map(({ uuid, epoch }) => `${uuid} ${epoch}`);
  expect(places(1, 3)).toEqual(['q2 1', 'q1 2']);
  expect(places(3, 100)).toEqual(['q2 2']);
  expect(places(4, 100)).toEqual([]);
});

it('shows each question on one short line, with its tags', () => {
  const [sample] = samplesOf(items, 1);
  expect(sample?.question).toMatch(/^Why so so .*…$/);
  expect(sample?.question).toHaveLength(80);
  expect(sample?.tags).toEqual(['text']);
  expect(sampleSchema.parse(JSON.parse(JSON.stringify(sample)))).toEqual(sample);
});
