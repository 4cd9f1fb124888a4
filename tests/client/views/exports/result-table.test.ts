import { expect, it } from 'vitest';
import { inspectHeader, inspectSample } from '../../../../client/views/exports/inspect-log.js';
import { questionTrace } from '../../../../client/views/exports/question-spans.js';
import { resultRow, spreadsheetCell } from '../../../../client/views/exports/result-table.js';
import { datasetItemSchema } from '../../../../domain/scoring/dataset-item.js';
import { exampleManifest } from '../../../support/runs/example-manifest.js';
import { exampleEnd, sampleKey } from '../../../support/runs/example-records.js';
import { recordedQuestion } from '../../../support/runs/recorded-question.js';

it.each([
  ['=1+2', "'=1+2"],
  ['=HYPERLINK("http://x")', '\'=HYPERLINK("http://x")'],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['+cmd|x', "'+cmd|x"],
  ['-2+3', "'-2+3"],
  ['\t=1', "'\t=1"],
  ['\r=1', "'\r=1"],
])('puts an apostrophe before %j', (text, cell) => {
  expect(spreadsheetCell(text)).toBe(cell);
});

it.each(['', '20', '-5', '+1.5', '-1e-7', '-5%', '-.5', 'a = b', "'=1", '[-1, 2]', '\n=1'])(
  'leaves %j as it is',
  (text) => {
    expect(spreadsheetCell(text)).toBe(text);
  },
);

/** A match and a grade of 4, as a run has stored them. */
const graded = (() => {
  const ends = (
    [
      ['c', 'eval_long_form_match', { kind: 'scored', score: 1 }],
      ['i', 'eval_long_form_grade', { kind: 'scored', score: 0.75, rawScore: 4 }],
    ] as const
  ).map(([uuid, scorer, verdict]) => {
    const { result, score } = exampleEnd(sampleKey(uuid));
    return { result, score: { ...score, scorer, verdict, score: verdict.score } };
  });
  return {
    manifest: exampleManifest(),
    items: (['conclusive', 'interpretive'] as const).map((category) =>
      datasetItemSchema.parse({
        uuid: category.charAt(0),
        question: 'Do a do better?',
        category,
        referenceAnswer: 'They do.',
      }),
    ),
    results: ends.map(({ result }) => result),
    scores: ends.map(({ score }) => score),
    notes: [],
    rulings: [],
  };
})();

it('keeps scores of different scales in columns of their own', () => {
  const rows = graded.items.map((item, index) =>
    resultRow({ ...recordedQuestion('right'), item, score: graded.scores[index] ?? null }),
  );
  expect(rows.map((row) => [row['score'], row['match_score']])).toEqual([
    [1, null],
    [null, 4],
  ]);
});

it('has Inspect average the scales under different names', () => {
  const header = inspectHeader(graded);
  expect(header['results']).toMatchObject({
    scores: [
      { name: 'score', scored_samples: 1, metrics: { mean: { value: 1 } } },
      { name: 'match_score', scored_samples: 1, metrics: { mean: { value: 4 } } },
    ],
  });
  expect(header['eval']).toMatchObject({ scorers: [{ name: 'score' }, { name: 'match_score' }] });
});

it('shows a grade on its own scale in samples and spans', () => {
  const { result, turns, ...recorded } = recordedQuestion('right');
  const [, item] = graded.items;
  const [, score] = graded.scores;
  if (!item || !score) throw new Error('there are two of each');
  const question = { ...recorded, turns, result, item, score };
  expect(inspectSample(question).sample).toMatchObject({
    target: ['They do.'],
    scores: { match_score: { value: 4 } },
  });
  expect(JSON.stringify(questionTrace(question, false))).toMatch(/score\.value.{1,40}4/);
});
