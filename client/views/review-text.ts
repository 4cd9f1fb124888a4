import { countText, grouped } from '../../domain/formats/text.js';
import { dollars } from '../../domain/models/usage.js';
import type { CallsProgress } from '../../domain/scoring/open-calls.js';
import type { SubTask } from '../../domain/scoring/review/panel.js';
import {
  bestMember,
  type PanelWorth,
  type SideWorth,
} from '../../domain/scoring/review/panel-worth.js';
import type { ReviewForecast } from '../../domain/scoring/review/review-forecast.js';
import type { LabelComparison } from '../../domain/scoring/review/review-labels.js';
import type { ReviewRecord } from '../../domain/scoring/review/review-record.js';
import type { ReviewReport, SubTaskReport } from '../../domain/scoring/review/review-report.js';
import type { Interval } from '../../domain/statistics/means.js';
import { alignColumns } from './terminal.js';

/** What a review will take, and how much of it is made already. */
export function forecastText(
  { config, totals }: ReviewRecord,
  { answers, panels, calls, promptTokens, completionTokens, usd }: ReviewForecast,
): string {
  const made = totals?.usage.calls ?? 0;
  const { reviewers, metaReviewers, orderCheck } = config;
  return [
    `${grouped(answers)} answers, ${grouped(panels)} panels of ${reviewers.length} reviewers and ${metaReviewers.length} meta-reviewers, of which ${percent(orderCheck)} are asked again in reverse order`,
    `about ${grouped(calls)} calls, ${countText(promptTokens)} prompt tokens and ${countText(completionTokens)} completion tokens, ${usd === null ? 'cost unknown' : dollars(usd)}${made === 0 ? '' : `; ${grouped(made)} calls are made already`}`,
  ].join('\n');
}

const subTaskNames: Readonly<Record<SubTask, string>> = {
  IP: 'IP, the plan',
  TE: 'TE, the queries',
  IS: 'IS, the answer',
};

/** What the panels of a review say, and what they are worth. */
export const reviewText = (report: ReviewReport, record: ReviewRecord): string =>
  [
    alignColumns([
      ['', 'panels', 'reviewers', 'agree', 'kappa', 'meta', 'agree', 'kappa', 'outcome', 'between'],
      ...report.subTasks.map(figuresRow),
    ]),
    'reviewers, meta and outcome: the share of perfect; agree: the share of panels of one mind',
    ...report.subTasks.flatMap(missingLines),
    ...withoutInteractionLines(record),
    ...ownModelLines(report),
    ...report.subTasks.flatMap(worthLines),
    ...(report.against ?? []).flatMap(againstLines),
  ].join('\n');

const figuresRow = ({ subTask, panels, figures }: SubTaskReport): readonly string[] => {
  const { reviewers, metaReviewers, outcomeRate, outcomeInterval } = figures;
  return [
    subTaskNames[subTask],
    String(panels),
    ...[reviewers, metaReviewers].flatMap(({ perfectRate, agreement, kappa }) =>
      [perfectRate, agreement, kappa].map(decimals),
    ),
    decimals(outcomeRate),
    between(outcomeInterval),
  ];
};

function missingLines({ subTask, open, figures }: SubTaskReport): readonly string[] {
  const reasons = Object.entries(figures.reasons).map(([reason, count]) => `${count} ${reason}`);
  return [
    ...(reasons.length === 0 ? [] : [`${subTask}: unreviewed are ${reasons.join(', ')}`]),
    ...(open === 0 ? [] : [`${subTask}: ${open} panels are open, and in no figure`]),
  ];
}

const withoutInteractionLines = ({ totals }: ReviewRecord): readonly string[] =>
  totals === null || totals.withoutInteraction === 0
    ? []
    : [
        `${totals.withoutInteraction} panels of IP and TE are about answers without interaction: an empty plan and no queries`,
      ];

function ownModelLines({ ownModel }: ReviewReport): readonly string[] {
  const sides = [
    ...(ownModel.reviewers ? ['the reviewers'] : []),
    ...(ownModel.metaReviewers ? ['the meta-reviewers'] : []),
  ];
  return sides.length === 0
    ? []
    : [
        `${ownModel.model} gave the answers and is among ${sides.join(' and ')}: models tend to favour their own texts`,
      ];
}

function worthLines({ subTask, worth }: SubTaskReport): readonly string[] {
  const { reviewers, metaReviewers, outcomeByChance, orderCheck } = worth;
  return [
    ...sideLine(subTask, 'reviewers', reviewers),
    ...sideLine(subTask, 'meta-reviewers', metaReviewers),
    ...(outcomeByChance === null
      ? []
      : [
          `${subTask}: by chance alone the outcome would be perfect in ${decimals(outcomeByChance)}`,
        ]),
    ...orderLine(subTask, orderCheck),
  ];
}

function sideLine(subTask: SubTask, name: string, side: SideWorth): readonly string[] {
  const { votes, votesByErrors, agreementByChance, alone, aloneByLabels } = side;
  const best = bestMember(alone);
  const bestByLabels = bestMember(aloneByLabels);
  const parts = [
    ...(votes?.votes == null
      ? []
      : [`${votes.votes.toFixed(1)} effective votes${leftOut(votes.leftOut)}`]),
    ...(votesByErrors?.votes == null ? [] : [`${votesByErrors.votes.toFixed(1)} by their errors`]),
    ...(agreementByChance === null ? [] : [`agreement by chance ${decimals(agreementByChance)}`]),
    ...(best === null
      ? []
      : [`${best.name} alone decides as the panel in ${decimals(best.share)}`]),
    ...(bestByLabels === null
      ? []
      : [`${bestByLabels.name} alone as the labels in ${decimals(bestByLabels.share)}`]),
  ];
  return parts.length === 0 ? [] : [`${subTask}, ${name}: ${parts.join('; ')}`];
}

const leftOut = (names: readonly string[]): string =>
  names.length === 0 ? '' : ` (without ${names.join(', ')}, who always decided alike)`;

const orderLine = (subTask: SubTask, check: PanelWorth['orderCheck']): readonly string[] =>
  check === null || check.decisions === 0
    ? []
    : [
        `${subTask}: with the reviews in reverse order ${check.changed} of ${check.decisions} decisions changed (${decimals(check.share)}, between ${between(check.interval)})`,
      ];

function againstLines(comparison: LabelComparison): readonly string[] {
  const { annotator, compared, unreviewed, differ } = comparison;
  return [
    `against ${compared} labels${annotator === null ? '' : ` of ${annotator}`}: agreement ${decimals(comparison.agreement)} (${between(comparison.agreementInterval)}), Cohen’s kappa ${decimals(comparison.kappa)} (${between(comparison.kappaInterval)})${unreviewed === 0 ? '' : `; ${unreviewed} labels are of panels without an outcome`}`,
    ...differ.map(
      ({ uuid, epoch, subTask, outcome, label }) =>
        `  ${uuid}${epoch > 1 ? ` (epoch ${epoch})` : ''}, ${subTask}: the panel says ${outcome}, the label ${label}`,
    ),
  ];
}

/** Why a review has not ended; null if it has. */
export function stoppedText(
  { parked, failures, spent }: CallsProgress,
  flags: { readonly budgetUsd?: number; readonly budgetTokens?: number },
): string | null {
  if (parked !== null) {
    const budget = flags.budgetUsd === undefined ? '--budget-tokens' : '--budget-usd';
    return `the review is parked: ${dollars(spent.usd)} and ${grouped(spent.tokens)} tokens are spent, and the next call may take ${dollars(parked.usd)} and ${grouped(parked.tokens)} tokens; the same command with a higher ${budget} goes on`;
  }
  const [first] = failures;
  if (first === undefined) return null;
  return `${failures.length} calls failed (${first.message}): their panels stay open, and the same command goes on with them`;
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;
const decimals = (value: number | null): string => value?.toFixed(2) ?? '–';
const between = (interval: Interval | null): string =>
  interval ? `${decimals(interval.low)} – ${decimals(interval.high)}` : '–';
