import { wilsonInterval } from '../../statistics/intervals.js';
import { mean, sum, type Interval, countsOf } from '../../statistics/means.js';
import {
  effectiveVotes,
  majorityByChance,
  unanimityByChance,
  type EffectiveVotes,
} from '../../statistics/correlation.js';
import { clusterOf, estimateOf } from '../score-estimate.js';
import { fleissKappa } from '../../statistics/agreement.js';
import {
  panelOutcome,
  type Decision,
  type Panel,
  type ReviewedPanel,
  type PanelOutcome,
} from './panel.js';

/** A panel, and the question of the answer that it reviewed. */
interface PanelOfAnswer extends Panel {
  readonly uuid: string;
  /** Names the database that the question is about. Absent if it is unknown: then each question is a cluster. */
  readonly database?: string | undefined;
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
  const outcomes = panels.map((panel) => ({
    cluster: clusterOf(panel),
    outcome: panelOutcome(panel),
  }));
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
    return decisions === null ? [] : [{ cluster: clusterOf(panel), decisions }];
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
const completeSide = (side: readonly (Decision | null)[]): readonly Decision[] | null => {
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

/** A panel with what is known of its members. */
export interface StudiedPanel extends PanelOfAnswer {
  /** The meta-reviewers' decisions when they saw the reviews in reverse order. Absent without order check. */
  readonly reversed?: readonly (Decision | null)[] | undefined;
  /** The models of the members, in the order of the decisions. */
  readonly models?: Readonly<Record<Side, readonly string[]>> | undefined;
}

/** The form in which panels are studied. */
export const studied = ({
  uuid,
  reviewers,
  metaReviewers,
  reversed,
}: ReviewedPanel): StudiedPanel => ({
  uuid,
  reviewers: reviewers.map(({ decision }) => decision),
  metaReviewers: metaReviewers.map(({ decision }) => decision),
  reversed,
  models: {
    reviewers: reviewers.map(({ model }) => model),
    metaReviewers: metaReviewers.map(({ model }) => model),
  },
});

/** What the panels about one sub-task are worth beyond their decisions. */
export interface PanelWorth {
  readonly reviewers: SideWorth;
  readonly metaReviewers: SideWorth;
  /**
   * The outcome rate of meta-reviewers who decide independently, each with its own rate: the exact tail of the Poisson-binomial
   * distribution; with an even number of them, without ties. Null without complete panels.
   */
  readonly outcomeByChance: number | null;
  readonly orderCheck: OrderCheck | null;
}

/** One side of the panels. Figures are over the panels in which all members of the side decided. */
export interface SideWorth {
  readonly votes: EffectiveVotes | null;
  /** Of the errors against labels instead of the decisions. Null without labels. */
  readonly votesByErrors: EffectiveVotes | null;
  /** The share of unanimous panels if the members decided independently, each with its own rate. Null without panels. */
  readonly agreementByChance: number | null;
  /**
   * How often each member alone decides as the panel: as the outcome, or for a meta-reviewer, whose own vote is in the outcome,
   * as the majority of the other meta-reviewers. Panels without such a majority are not counted.
   */
  readonly alone: readonly MemberAlone[];
  /** How often each member alone decides as the labels. Empty without labels. */
  readonly aloneByLabels: readonly MemberAlone[];
}

/** @param labelOf - the label that people gave the sub-task; null without */
export function panelWorth(
  panels: readonly StudiedPanel[],
  labelOf: (panel: StudiedPanel) => Decision | null = () => null,
): PanelWorth {
  const meta = ratesOf(completePanels(panels, 'metaReviewers').map(({ decisions }) => decisions));
  return {
    reviewers: sideWorth(panels, 'reviewers', labelOf),
    metaReviewers: sideWorth(panels, 'metaReviewers', labelOf),
    outcomeByChance: meta && majorityByChance(meta),
    orderCheck: orderCheck(panels),
  };
}

function sideWorth(
  panels: readonly StudiedPanel[],
  side: Side,
  labelOf: (panel: StudiedPanel) => Decision | null,
): SideWorth {
  const names = memberNames(panels, side);
  const complete = completePanels(panels, side);
  const labelled = complete.flatMap(({ panel, decisions }) => {
    const label = labelOf(panel);
    return label === null ? [] : [{ decisions, label }];
  });
  const rates = ratesOf(complete.map(({ decisions }) => decisions));
  return {
    votes: effectiveVotes(
      names,
      complete.map(({ decisions }) => decisions.map((decision) => decision === 'perfect')),
    ),
    votesByErrors: effectiveVotes(
      names,
      labelled.map(({ decisions, label }) => decisions.map((decision) => decision !== label)),
    ),
    agreementByChance: rates && unanimityByChance(rates),
    alone: names.map((name, member) =>
      memberAlone(
        name,
        complete.map(({ panel, decisions }) => [
          decisions[member],
          side === 'reviewers'
            ? outcomeOf(panel)
            : majorityOf(decisions.filter((_, other) => other !== member)),
        ]),
      ),
    ),
    aloneByLabels:
      labelled.length === 0
        ? []
        : names.map((name, member) =>
            memberAlone(
              name,
              labelled.map(({ decisions, label }) => [decisions[member], label]),
            ),
          ),
  };
}

/** The panels of the usual size in which every member of the side decided. */
function completePanels(
  panels: readonly StudiedPanel[],
  side: Side,
): readonly { readonly panel: StudiedPanel; readonly decisions: readonly Decision[] }[] {
  const size = sizeOf(panels, side);
  return panels.flatMap((panel) => {
    const decisions = completeSide(panel[side]);
    return decisions?.length === size ? [{ panel, decisions }] : [];
  });
}

const sizeOf = (panels: readonly Panel[], side: Side): number =>
  panels.reduce((most, panel) => Math.max(most, panel[side].length), 0);

const sideNames: Readonly<Record<Side, string>> = {
  reviewers: 'reviewer',
  metaReviewers: 'meta-reviewer',
};

/** `reviewer 1 (a-model)`; without the model if it is unknown or differs between panels. */
function memberNames(panels: readonly StudiedPanel[], side: Side): readonly string[] {
  return Array.from({ length: sizeOf(panels, side) }, (_, member) => {
    const models = new Set(panels.flatMap((panel) => panel.models?.[side][member] ?? []));
    const name = `${sideNames[side]} ${member + 1}`;
    return models.size === 1 ? `${name} (${[...models].join()})` : name;
  });
}

/** The share of each member's perfect decisions; null without panels. */
function ratesOf(complete: readonly (readonly Decision[])[]): readonly number[] | null {
  const [first] = complete;
  if (first === undefined) return null;
  return first.map((_, member) =>
    mean(complete.map((decisions) => Number(decisions[member] === 'perfect'))),
  );
}

/** How often a member alone decides as a standard does. */
interface MemberAlone {
  readonly name: string;
  readonly panels: number;
  /** Null without panels. */
  readonly share: number | null;
  readonly interval: Interval | null;
}

function memberAlone(
  name: string,
  pairs: readonly (readonly [Decision | undefined, Decision | null])[],
): MemberAlone {
  const known = pairs.filter(([, standard]) => standard !== null);
  const agreed = known.filter(([decision, standard]) => decision === standard).length;
  if (known.length === 0) return { name, panels: 0, share: null, interval: null };
  return {
    name,
    panels: known.length,
    share: agreed / known.length,
    interval: wilsonInterval(agreed, known.length),
  };
}

/** The member with the highest share, the first of several; null if none has a share. */
export const bestMember = (members: readonly MemberAlone[]): MemberAlone | null =>
  members.reduce<MemberAlone | null>(
    (best, member) => ((member.share ?? -1) > (best?.share ?? -1) ? member : best),
    null,
  );

function outcomeOf(panel: Panel): Decision | null {
  const { kind } = panelOutcome(panel);
  return kind === 'unreviewed' ? null : kind;
}

/** Null for a tie and without decisions. */
function majorityOf(decisions: readonly Decision[]): Decision | null {
  const perfect = decisions.filter((decision) => decision === 'perfect').length;
  if (2 * perfect === decisions.length) return null;
  return 2 * perfect > decisions.length ? 'perfect' : 'imperfect';
}

/** The meta-reviewers who were asked again with the reviews in reverse order. */
export interface OrderCheck {
  readonly panels: number;
  /** Meta-reviewers who decided both times. */
  readonly decisions: number;
  readonly changed: number;
  /** The share of them who changed their decision; null if there are none. */
  readonly share: number | null;
  readonly interval: Interval | null;
}

/** Null if no panel was asked again. */
export function orderCheck(panels: readonly StudiedPanel[]): OrderCheck | null {
  const checked = panels.filter(({ reversed }) => reversed !== undefined);
  if (checked.length === 0) return null;
  const changes = checked.flatMap(({ metaReviewers, reversed = [], ...panel }) =>
    metaReviewers.flatMap((before, member) => {
      const after = reversed[member] ?? null;
      return before === null || after === null
        ? []
        : [{ cluster: clusterOf(panel), score: Number(before !== after) }];
    }),
  );
  const share = estimateOf(changes);
  return {
    panels: checked.length,
    decisions: changes.length,
    changed: sum(changes.map(({ score }) => score)),
    share: share?.mean ?? null,
    interval: share?.interval ?? null,
  };
}

/** The members that are the model whose answer they review, by `model`. The paper names this bias in its limitations. */
export const ownModelIn = (
  panels: readonly Pick<StudiedPanel, 'models'>[],
  model: string,
): { readonly [S in Side]: boolean } => ({
  reviewers: panels.some(({ models }) => models?.reviewers.includes(model)),
  metaReviewers: panels.some(({ models }) => models?.metaReviewers.includes(model)),
});
