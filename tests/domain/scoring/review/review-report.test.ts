import { describe, expect, it } from 'vitest';
import type { ReviewedPanel, SubTask } from '../../../../domain/scoring/review/panel.js';
import {
  compareWithLabels,
  majorityLabel,
  readReviewLabels,
  reviewReport,
} from '../../../../domain/scoring/review/review-report.js';
import { kappaInterval } from '../../../../domain/statistics/agreement.js';
import { decisionsOf } from '../../../support/runs/panels.js';
import { reviewConfig } from '../../../support/runs/reviewed.js';

const panelOf = (
  uuid: string,
  reviewers: string,
  metaReviewers: string,
  more: Partial<ReviewedPanel> = {},
): ReviewedPanel => {
  const side = (votes: string) =>
    decisionsOf(votes).map((decision, place) => ({
      model: `model-${place}`,
      decision,
      rationale: '',
    }));
  const members = { reviewers: side(reviewers), metaReviewers: side(metaReviewers) };
  return { uuid, epoch: 1, subTask: 'IP', ...members, ...more };
};

const panels = [
  panelOf('q1', 'PPP', 'PPP'),
  panelOf('q2', 'PPI', 'PPI'),
  panelOf('q3', 'III', 'III'),
  panelOf('q4', 'P--', '---'),
];

const lineOf = (uuid: string, label: string, more: object = {}): string =>
  JSON.stringify({ uuid, subTask: 'IP', label, ...more });

describe('labels of people', () => {
  it.each([
    ['an unknown label', lineOf('q1', 'good'), /line 1: label/],
    ['an unknown sub-task', lineOf('q1', 'perfect', { subTask: 'XX' }), /line 1: subTask/],
    ['an answer that is not reviewed', lineOf('q9', 'perfect'), /line 1: there is no answer to q9/],
    ['another epoch', lineOf('q1', 'perfect', { epoch: 2 }), /in epoch 2/],
    ['a repeated label', `${lineOf('q1', 'perfect')}\n${lineOf('q1', 'imperfect')}`, /line 2/],
    ['an empty file', '', /it holds no labels/],
    ['a broken line', '{', /line 1/],
  ])('are refused for %s', (_, text, message) => {
    expect(readReviewLabels(text, panels).problems.join('\n')).toMatch(message);
  });

  it('may be of several people about one answer', () => {
    const text = ['x', 'y'].map((annotator) => lineOf('q1', 'perfect', { annotator })).join('\n');
    expect(readReviewLabels(text, panels)).toMatchObject({ problems: [], labels: { length: 2 } });
  });

  const labels = readReviewLabels(
    [
      lineOf('q1', 'perfect'),
      lineOf('q2', 'imperfect'),
      lineOf('q3', 'imperfect'),
      lineOf('q4', 'perfect'),
    ].join('\n'),
    panels,
  ).labels;

  it('are compared with the outcomes, and those that differ are named', () => {
    const [found] = compareWithLabels(panels, labels);
    expect(found).toMatchObject({
      annotator: null,
      compared: 3,
      unreviewed: 1,
      agreement: 2 / 3,
      differ: [{ uuid: 'q2', subTask: 'IP', outcome: 'perfect', label: 'imperfect' }],
    });
    // Outcomes P P I against P I I: agreement 2/3, by chance 2/3 · 1/3 + 1/3 · 2/3 = 4/9.
    expect(found?.kappa).toBeCloseTo((2 / 3 - 4 / 9) / (5 / 9), 12);
  });

  it('are compared apart for each person, and together by their majority', () => {
    const named = labels.flatMap((label) =>
      ['x', 'y', 'z'].map((annotator) => ({
        ...label,
        annotator,
        label: annotator === 'z' ? ('perfect' as const) : label.label,
      })),
    );
    expect(compareWithLabels(panels, named).map(({ annotator }) => annotator)).toEqual([
      'x',
      'y',
      'z',
    ]);
    const labelOf = majorityLabel(named);
    const of = (uuid: string) => labelOf({ uuid, epoch: 1, subTask: 'IP' });
    expect([of('q1'), of('q2'), of('q9')]).toEqual(['perfect', 'imperfect', null]);
  });
});

describe('the interval of kappa', () => {
  it('is that of the large-sample standard error, within −1 and 1', () => {
    const pairs = [
      ...Array.from({ length: 40 }, () => ['a', 'a'] as const),
      ...Array.from({ length: 40 }, () => ['b', 'b'] as const),
      ...Array.from({ length: 10 }, () => ['a', 'b'] as const),
      ...Array.from({ length: 10 }, () => ['b', 'a'] as const),
    ];
    // kappa 0.6, standard error sqrt(0.8 · 0.2 / (100 · 0.25)) = 0.08.
    const { low, high } = kappaInterval(pairs) ?? { low: NaN, high: NaN };
    expect(low).toBeCloseTo(0.6 - 1.959964 * 0.08, 5);
    expect(high).toBeCloseTo(0.6 + 1.959964 * 0.08, 5);
  });

  it.each([
    ['no pairs', []],
    [
      'equal labels throughout',
      [
        ['a', 'a'],
        ['a', 'a'],
      ],
    ],
    [
      'full agreement',
      [
        ['a', 'a'],
        ['b', 'b'],
      ],
    ],
  ] as const)('is unknown for %s', (_, pairs) => {
    expect(kappaInterval(pairs)).toBeNull();
  });
});

describe('the report of a review', () => {
  const config = reviewConfig('a,b,c|d,e,f');
  const answering = { model: { configured: 'a-model', returned: 'a-model-2026' }, config };
  const subTaskOf = (all: readonly ReviewedPanel[], subTask: SubTask) =>
    reviewReport(all, answering, null).subTasks.find((each) => each.subTask === subTask);

  it('keeps open panels out of all figures, and counts them', () => {
    const found = subTaskOf([...panels, panelOf('q5', 'PP-', '---', { open: true })], 'IP');
    expect(found).toMatchObject({
      panels: 5,
      open: 1,
      figures: { reviewed: 3, unreviewed: 1, outcomeRate: 2 / 3 },
    });
  });

  it('leaves out sub-tasks without panels', () => {
    expect(subTaskOf(panels, 'TE')).toBeUndefined();
  });

  it.each([
    ['by its configured name', { configured: 'b', returned: 'x' }, true, false],
    ['by the name that its provider returns', { configured: 'x', returned: 'model-1' }, true, true],
    ['not at all', { configured: 'x', returned: 'y' }, false, false],
  ])('finds the answering model among the members %s', (_, model, reviewers, metaReviewers) => {
    const { ownModel } = reviewReport(panels, { model, config }, null);
    expect(ownModel).toEqual({ model: model.configured, reviewers, metaReviewers });
  });
});
