// Votes such as PPIII are no words. cspell:ignoreRegExp [PI]{4,}
import { describe, expect, it } from 'vitest';
import { panelFigures } from '../../../../domain/scoring/review/panel-worth.js';
import { panel } from '../../../support/runs/panels.js';

describe('the figures of panels', () => {
  it('are rates, agreement and outcomes over the complete panels of each side', () => {
    const figures = panelFigures([
      panel('q1', 'PPP', 'PPP'),
      panel('q2', 'PPI', 'PPI'),
      panel('q3', 'III', 'PII'),
      // One reviewer is missing: the panel has an outcome, and enters no figure of the reviewers.
      panel('q4', 'PI-', 'III'),
      panel('q5', 'P--', '---'),
    ]);
    expect(figures).toMatchObject({
      reviewers: { panels: 3, agreement: 2 / 3 },
      metaReviewers: { panels: 4, agreement: 0.5 },
      reviewed: 4,
      unreviewed: 1,
      reasons: { 'too-few-reviewers': 1 },
      outcomeRate: 0.5,
    });
    expect(figures.reviewers.perfectRate).toBeCloseTo(5 / 9, 12);
    expect(figures.metaReviewers.perfectRate).toBeCloseTo(0.5, 12);
  });

  it('correct agreement for chance by Fleiss', () => {
    // Votes for perfect: 3, 2, 0. Agreement of pairs 7/9; expected (5/9)² + (4/9)² = 41/81.
    const { reviewers } = panelFigures([
      panel('q1', 'PPP', 'PPP'),
      panel('q2', 'PPI', 'PPP'),
      panel('q3', 'III', 'PPP'),
    ]);
    expect(reviewers.kappa).toBeCloseTo((7 / 9 - 41 / 81) / (1 - 41 / 81), 12);
  });

  it.each([
    ['all decisions are equal', [panel('q1', 'PPP', 'PPP'), panel('q2', 'PPP', 'PPP')]],
    ['panels differ in size', [panel('q1', 'PPI', 'PPI'), panel('q2', 'PI', 'PI')]],
    ['no panel is complete', [panel('q1', 'PP-', 'PP-')]],
  ])('have no kappa where %s', (_, panels) => {
    expect(panelFigures(panels)).toMatchObject({
      reviewers: { kappa: null },
      metaReviewers: { kappa: null },
    });
  });

  it('count ties and missing meta-reviewers as unreviewed', () => {
    const figures = panelFigures([panel('q1', 'PPP', 'PI'), panel('q2', 'PPP', 'P--')]);
    expect(figures).toMatchObject({
      reviewed: 0,
      unreviewed: 2,
      reasons: { tie: 1, 'too-few-meta-reviewers': 1 },
      outcomeRate: null,
      outcomeInterval: null,
    });
  });

  it('have wider intervals if panels are of one question', () => {
    const votes = ['PPP', 'PPP', 'III', 'III'];
    const apart = panelFigures(votes.map((side, at) => panel(`q${at}`, side, side)));
    const together = panelFigures(votes.map((side, at) => panel(at < 2 ? 'a' : 'b', side, side)));
    const width = ({ reviewers: { intervals } }: typeof apart): number =>
      (intervals.perfectRate?.high ?? 0) - (intervals.perfectRate?.low ?? 0);
    expect(width(together)).toBeGreaterThan(width(apart));
  });
});
