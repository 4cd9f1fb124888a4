import { fleissKappa } from '../../statistics/agreement.js';
import { countsOf, mean, type Interval } from '../../statistics/means.js';
import { estimateOf } from '../score-estimate.js';
import { panelOutcome, type Decision, type Panel, type PanelOutcome } from './panel.js';

/** A panel, and the question of the answer that it reviewed. Panels of a question's epochs are one cluster. */
export interface PanelOfAnswer extends Panel {
  readonly uuid: string;
}

/** The decisions of one side of panels: of the reviewers, or of the meta-reviewers. Null without complete panels. */
export interface SideFigures {
  /** The panels in which every member of the side decided. The other figures are over these. */
  readonly panels: number;
  /** The mean share of the members who decided perfect (paper, Table 4). */
  readonly perfectRate: number | null;
  /** The share of the panels whose members all decided alike (paper, Table 4). */
  readonly agreement: number | null;
  /** Fleiss' kappa. Null also if all decisions are equal, and if the panels differ in size. */
  readonly kappa: number | null;
  readonly intervals: {
    readonly perfectRate: Interval | null;
    readonly agreement: Interval | null;
  };
}

/** The panels about one sub-task (paper, Table 4 and Fig. 5). */
export interface PanelFigures {
  readonly reviewers: SideFigures;
  readonly metaReviewers: SideFigures;
  /** Panels with an outcome. */
  readonly reviewed: number;
  readonly unreviewed: number;
  readonly reasons: Readonly<Partial<Record<UnreviewedReason, number>>>;
  /** The share of the panels with an outcome whose outcome is perfect. Null if there are none. */
  readonly outcomeRate: number | null;
  readonly outcomeInterval: Interval | null;
}

type UnreviewedReason = Extract<PanelOutcome, { kind: 'unreviewed' }>['reason'];

export function panelFigures(panels: readonly PanelOfAnswer[]): PanelFigures {
  const outcomes = panels.map((panel) => ({ cluster: panel.uuid, outcome: panelOutcome(panel) }));
  const decided = outcomes.flatMap(({ cluster, outcome }) =>
    outcome.kind === 'unreviewed' ? [] : [{ cluster, score: Number(outcome.kind === 'perfect') }],
  );
  const reasons = outcomes.flatMap(({ outcome }) =>
    outcome.kind === 'unreviewed' ? [outcome.reason] : [],
  );
  const rate = estimateOf(decided);
  return {
    reviewers: sideFigures(panels, 'reviewers'),
    metaReviewers: sideFigures(panels, 'metaReviewers'),
    reviewed: decided.length,
    unreviewed: reasons.length,
    reasons: Object.fromEntries(countsOf(reasons)),
    outcomeRate: rate?.mean ?? null,
    outcomeInterval: rate?.interval ?? null,
  };
}

export type Side = 'reviewers' | 'metaReviewers';

function sideFigures(panels: readonly PanelOfAnswer[], side: Side): SideFigures {
  const complete = panels.flatMap((panel) => {
    const decisions = completeSide(panel[side]);
    return decisions === null ? [] : [{ cluster: panel.uuid, decisions }];
  });
  const perfect = estimateOf(
    complete.map(({ cluster, decisions }) => ({ cluster, score: perfectShare(decisions) })),
  );
  const alike = estimateOf(
    complete.map(({ cluster, decisions }) => ({
      cluster,
      score: Number(new Set(decisions).size === 1),
    })),
  );
  return {
    panels: complete.length,
    perfectRate: perfect?.mean ?? null,
    agreement: alike?.mean ?? null,
    kappa: kappaOf(complete.map(({ decisions }) => decisions)),
    intervals: { perfectRate: perfect?.interval ?? null, agreement: alike?.interval ?? null },
  };
}

/** The decisions of a side whose members all decided; null for others and for a side without members. */
export const completeSide = (side: readonly (Decision | null)[]): readonly Decision[] | null => {
  const decisions = side.filter((decision) => decision !== null);
  return decisions.length === side.length && side.length > 0 ? decisions : null;
};

const perfectShare = (decisions: readonly Decision[]): number =>
  mean(decisions.map((decision) => Number(decision === 'perfect')));

function kappaOf(sides: readonly (readonly Decision[])[]): number | null {
  if (new Set(sides.map(({ length }) => length)).size !== 1) return null;
  return fleissKappa(
    sides.map((side) => {
      const perfect = side.filter((decision) => decision === 'perfect').length;
      return [perfect, side.length - perfect];
    }),
  );
}
