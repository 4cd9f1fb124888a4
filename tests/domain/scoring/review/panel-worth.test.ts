import { describe, expect, it } from 'vitest';
import {
  bestMember,
  orderCheck,
  ownModelIn,
  panelWorth,
} from '../../../../domain/scoring/review/panel-worth.js';
import { decisionsOf, panel } from '../../../support/runs/panels.js';

const models = { reviewers: ['m1', 'm2', 'm3'], metaReviewers: ['m4', 'm5', 'm6'] };
const panels = [
  panel('q1', 'PPI', 'PPP', { models }),
  panel('q2', 'PIP', 'PIP', { models }),
  panel('q3', 'PII', 'IIP', { models }),
  panel('q4', 'PPI', 'IPI', { models }),
  panel('q5', 'P-P', 'PP-', { models }),
];
const worth = panelWorth(panels);

describe('what panels are worth', () => {
  it('is the votes of members who vary, with the others named', () => {
    expect(worth.reviewers.votes).toEqual({
      members: 2,
      // The second and third never both decide alike but once: phi is −1/√3.
      correlation: 0,
      votes: 2,
      leftOut: ['reviewer 1 (m1)'],
    });
    expect(worth.reviewers.votesByErrors).toBeNull();
  });

  it('is compared with independent members of the same rates', () => {
    // Over the four complete panels: reviewers 1, 1/2 and 1/4, meta-reviewers 1/2, 1/2 and 3/4.
    expect(worth.reviewers.agreementByChance).toBeCloseTo(1 / 8, 12);
    expect(worth.metaReviewers.agreementByChance).toBeCloseTo(3 / 16 + 1 / 16, 12);
    expect(worth.outcomeByChance).toBeCloseTo(3 / 16 + (3 / 16) * 2 + 1 / 16, 12);
  });

  it('shows how far each member alone decides as the panel', () => {
    // Outcomes: perfect, perfect, imperfect, imperfect.
    expect(worth.reviewers.alone.map(({ panels: of, share }) => [of, share])).toEqual([
      [4, 0.5],
      [4, 0.5],
      [4, 0.75],
    ]);
    // The other two meta-reviewers agree in q1; in q2 about the second; in q3 about the third; in q4 about the second.
    expect(worth.metaReviewers.alone.map(({ panels: of, share }) => [of, share])).toEqual([
      [1, 1],
      [3, 1 / 3],
      [2, 0.5],
    ]);
    expect(bestMember(worth.reviewers.alone)).toMatchObject({
      name: 'reviewer 3 (m3)',
      share: 0.75,
    });
    expect(bestMember([])).toBeNull();
  });

  it('is of errors, and against people, where there are labels', () => {
    const labelled = panelWorth(panels, ({ uuid }) => (uuid === 'q3' ? null : 'perfect'));
    expect(labelled.reviewers.aloneByLabels.map(({ panels: of, share }) => [of, share])).toEqual([
      [3, 1],
      [3, 2 / 3],
      [3, 1 / 3],
    ]);
    // Errors of the second and third reviewer: no, yes, no against yes, no, yes.
    expect(labelled.reviewers.votesByErrors).toMatchObject({
      members: 2,
      correlation: 0,
      votes: 2,
    });
  });

  it('counts only panels of the usual size and names no model that changes', () => {
    const mixed = panelWorth([
      ...panels,
      panel('q6', 'P', 'P', { models: { reviewers: ['other'], metaReviewers: ['m4'] } }),
    ]);
    expect(mixed.reviewers.alone.map(({ name }) => name)).toEqual([
      'reviewer 1',
      'reviewer 2 (m2)',
      'reviewer 3 (m3)',
    ]);
    expect(mixed.reviewers.agreementByChance).toBeCloseTo(1 / 8, 12);
  });

  it('is unknown without complete panels', () => {
    const none = panelWorth([panel('q1', 'P--', '---')]);
    expect(none.outcomeByChance).toBeNull();
    expect(none.reviewers).toMatchObject({ votes: null, agreementByChance: null });
    expect(panelWorth([]).reviewers.alone).toEqual([]);
  });
});

describe('the order check', () => {
  it('is the share of meta-reviewers who change their decision', () => {
    const check = orderCheck([
      panel('q1', 'PPP', 'PPI', { reversed: decisionsOf('PII') }),
      panel('q2', 'PPP', 'PP-', { reversed: decisionsOf('-PP') }),
      panel('q3', 'PPP', 'PPP'),
    ]);
    expect(check).toMatchObject({ panels: 2, decisions: 4, changed: 1, share: 0.25 });
    expect(check?.interval?.low).toBeGreaterThanOrEqual(0);
  });

  it('is null if no panel was asked again, and without share if nobody decided twice', () => {
    expect(orderCheck(panels)).toBeNull();
    expect(orderCheck([panel('q1', 'PPP', '---', { reversed: decisionsOf('PPP') })])).toMatchObject(
      { panels: 1, decisions: 0, share: null, interval: null },
    );
  });
});

it.each([
  ['m2', { reviewers: true, metaReviewers: false }],
  ['m6', { reviewers: false, metaReviewers: true }],
  ['m', { reviewers: false, metaReviewers: false }],
])('points out the model %s in a panel about its own answers', (model, expected) => {
  expect(ownModelIn(panels, model)).toEqual(expected);
});
