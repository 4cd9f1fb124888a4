import type {
  ReviewedSubTask,
  SubTaskWorth,
} from '../../../domain/runs/database-qa/database-tables.js';
import {
  type Side,
  type SideFigures,
  bestMember,
  type OrderCheck,
  type SideWorth,
} from '../../../domain/scoring/review/panel-worth.js';
import type { EffectiveVotes } from '../../../domain/statistics/correlation.js';
import type { Cell, Row, Section } from '../sections/section.js';
import published from './published-values.json' with { type: 'json' };
import {
  agentCells,
  agentName,
  decimal,
  nothing,
  publishedIn,
  rangeText,
  tableSection,
} from './report-cells.js';

/** Table 4. */
export function panelsTable(rows: readonly ReviewedSubTask[]): Section {
  const side = ({ panels, perfectRate, agreement, kappa, intervals }: SideFigures): Row => [
    String(panels),
    { text: decimal(perfectRate), under: rangeText(intervals.perfectRate) },
    { text: decimal(agreement), under: rangeText(intervals.agreement) },
    decimal(kappa),
  ];
  const guesses = rows.filter(
    ({ withoutInteraction, method }) => withoutInteraction > 0 && method !== 'no-interaction',
  );
  return tableSection({
    id: 'table-4',
    title: 'Table 4: peer review',
    legend: [
      'IP: interaction planning, TE: tool employment, IS: information synthesis. Rates are shares of Perfect over complete panels, agreement is the share of unanimous ones. The second line is the 95 % interval.',
      ...guesses.map(
        (row) =>
          `${agentName(row)}, ${row.subTask}: ${row.withoutInteraction} panels are about answers without interaction.`,
      ),
      'The paper does not say which mode its Table 4 is about.',
    ],
    heads: [
      ...['LLM', 'mode', 'sub-task', 'reviewer panels', 'perfect', 'agreement', 'kappa'],
      ...['meta-reviewer panels', 'perfect', 'agreement', 'kappa', 'outcome perfect', 'reviewed'],
    ],
    names: 3,
    rows: rows.map((row) => [
      ...agentCells(row),
      row.subTask,
      ...side(row.reviewers),
      ...side(row.metaReviewers),
      { text: decimal(row.outcomeRate), under: rangeText(row.outcomeInterval) },
      `${row.reviewed} of ${row.reviewed + row.unreviewed}`,
    ]),
    published: {
      source: publishedIn(published.table4),
      rows: published.table4.rows.map((row) => [
        ...[row.model, '', row.subTask, ''],
        decimal(row.reviewerRate),
        decimal(row.reviewerAgreement),
        ...['', ''],
        decimal(row.metaReviewerRate),
        decimal(row.metaReviewerAgreement),
        ...['', '', ''],
      ]),
    },
  });
}

/** What the panels of Table 4 are worth: their independence, and what chance or a single member would give. */
export function panelWorthTable(
  rows: readonly SubTaskWorth[],
  reviewed: readonly ReviewedSubTask[],
): Section {
  return tableSection({
    id: 'panel-worth',
    title: 'What the panels are worth',
    legend: [
      'Effective votes: as many independent members decide as well as these together. By chance: if each member decided independently, with its own rate. Best member: how often it alone decides as the panel (a meta-reviewer: as the majority of the others).',
      ...worthNotes(rows),
    ],
    heads: [
      ...[
        'LLM',
        'mode',
        'sub-task',
        'reviewers, effective',
        'agreement by chance',
        'best reviewer',
      ],
      ...['meta-reviewers, effective', 'agreement by chance', 'best meta-reviewer'],
      ...['outcome perfect', 'by chance', 'order check: changed'],
    ],
    names: 3,
    rows: rows.map((row, at) => [
      ...agentCells(row),
      row.subTask,
      ...sideCells(row.reviewers),
      ...sideCells(row.metaReviewers),
      decimal(reviewed[at]?.outcomeRate),
      decimal(row.outcomeByChance),
      orderCell(row.orderCheck),
    ]),
  });
}

function sideCells({ votes, agreementByChance, alone }: SideWorth): Row {
  const best = bestMember(alone);
  return [
    votes?.votes == null
      ? nothing
      : { text: `${decimal(votes.votes, 1)} of ${votes.members}`, under: correlationText(votes) },
    decimal(agreementByChance),
    best === null
      ? nothing
      : { text: decimal(best.share), under: `${best.name}, ${best.panels} panels` },
  ];
}

const correlationText = ({ correlation }: EffectiveVotes): string =>
  correlation === null ? '' : `correlation ${decimal(correlation)}`;

const orderCell = (check: OrderCheck | null): Cell =>
  check === null
    ? nothing
    : {
        text: `${check.changed} of ${check.decisions}`,
        under: check.interval ? `${decimal(check.share)}, ${rangeText(check.interval)}` : '',
      };

const sideNames: Readonly<Record<Side, string>> = {
  reviewers: 'reviewers',
  metaReviewers: 'meta-reviewers',
};

const sides = ['reviewers', 'metaReviewers'] as const;

function worthNotes(rows: readonly SubTaskWorth[]): readonly string[] {
  const own = rows.flatMap((row) =>
    sides
      .filter((side) => row.ownModel[side])
      .map((side) => `${agentName(row)}: the agent’s own model is among the ${sideNames[side]}.`),
  );
  const alike = rows.flatMap((row) => {
    const names = sides.flatMap((side) => row[side].votes?.leftOut ?? []);
    return names.length === 0
      ? []
      : [
          `${agentName(row)}, ${row.subTask}: ${names.join(', ')} always decide alike, so they have no correlation and are left out.`,
        ];
  });
  return [...new Set(own), ...alike];
}
