import { countText, decimals, grouped, said, type Texts } from '../../../domain/formats/text.js';
import type { RunId } from '../../../domain/ids.js';
import { dollars } from '../../../domain/models/usage.js';
import type { CallsProgress } from '../../../domain/scoring/open-calls.js';
import type { SubTask, ReviewRecord } from '../../../domain/scoring/review/panel.js';
import { bestMember, type SideWorth } from '../../../domain/scoring/review/panel-worth.js';
import type { ReviewForecast } from '../../../domain/scoring/review/panel-state.js';
import type {
  LabelComparison,
  ReviewReport,
  SubTaskReport,
} from '../../../domain/scoring/review/review-report.js';
import type { Interval } from '../../../domain/statistics/means.js';
import type { Row, Section, Table } from './section.js';
import { between } from '../terminal.js';

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
export const reviewSection = (
  report: ReviewReport,
  { review, totals }: Pick<ReviewRecord, 'review' | 'totals'>,
  run: RunId,
): Section => ({
  id: 'review',
  title: `Review ${review}`,
  words: said([
    `review ${review} of run ${run}`,
    report.subTasks.map(missingLines),
    totals !== null &&
      totals.withoutInteraction > 0 &&
      `${totals.withoutInteraction} panels of IP and TE are about answers without interaction: an empty plan and no queries`,
    report.subTasks.map(worthLines),
    report.against?.map(againstLine),
  ]),
  notes: said([ownModelLine(report)]),
  tables: [
    {
      caption: 'Panels',
      heads: [
        ...['sub-task', 'panels', 'reviewers', 'agree', 'kappa'],
        ...['meta', 'agree', 'kappa', 'outcome', 'between'],
      ],
      names: 1,
      rows: report.subTasks.map(figuresRow),
      legend: [
        'reviewers, meta and outcome: the share of perfect; agree: the share of panels of one mind',
      ],
    },
    ...(report.against ?? []).filter(({ differ }) => differ.length > 0).map(differencesTable),
  ],
});

const figuresRow = ({ subTask, panels, figures }: SubTaskReport): Row => [
  subTaskNames[subTask],
  panels,
  ...[figures.reviewers, figures.metaReviewers].flatMap(({ perfectRate, agreement, kappa }) =>
    [perfectRate, agreement, kappa].map(share),
  ),
  share(figures.outcomeRate),
  range(figures.outcomeInterval),
];

function missingLines({ subTask, open, figures }: SubTaskReport): Texts {
  const reasons = Object.entries(figures.reasons).map(([reason, count]) => `${count} ${reason}`);
  return [
    reasons.length > 0 && `${subTask}: unreviewed are ${reasons.join(', ')}`,
    open > 0 && `${subTask}: ${open} panels are open, and in no figure`,
  ];
}

function ownModelLine({ ownModel }: ReviewReport): Texts {
  const sides = said([
    ownModel.reviewers && 'the reviewers',
    ownModel.metaReviewers && 'the meta-reviewers',
  ]);
  return (
    sides.length > 0 &&
    `${ownModel.model} gave the answers and is among ${sides.join(' and ')}: models tend to favour their own texts`
  );
}

const worthLines = ({
  subTask,
  worth: { reviewers, metaReviewers, outcomeByChance, orderCheck },
}: SubTaskReport): Texts => [
  sideLine(subTask, 'reviewers', reviewers),
  sideLine(subTask, 'meta-reviewers', metaReviewers),
  outcomeByChance !== null &&
    `${subTask}: by chance alone the outcome would be perfect in ${share(outcomeByChance)}`,
  orderCheck !== null &&
    orderCheck.decisions > 0 &&
    `${subTask}: with the reviews in reverse order ${orderCheck.changed} of ${orderCheck.decisions} decisions changed (${share(orderCheck.share)}, between ${range(orderCheck.interval)})`,
];

function sideLine(subTask: SubTask, name: string, side: SideWorth): Texts {
  const { votes, votesByErrors, agreementByChance, alone, aloneByLabels } = side;
  const best = bestMember(alone);
  const bestByLabels = bestMember(aloneByLabels);
  const parts = said([
    votes && `${decimals(votes.votes, 1, 'no')} effective votes${leftOut(votes.leftOut)}`,
    votesByErrors && `${decimals(votesByErrors.votes, 1, 'no')} by their errors`,
    agreementByChance !== null && `agreement by chance ${share(agreementByChance)}`,
    best && `${best.name} alone decides as the panel in ${share(best.share)}`,
    bestByLabels && `${bestByLabels.name} alone as the labels in ${share(bestByLabels.share)}`,
  ]);
  return parts.length > 0 && `${subTask}, ${name}: ${parts.join('; ')}`;
}

const leftOut = (names: readonly string[]): string =>
  names.length === 0 ? '' : ` (without ${names.join(', ')}, who always decided alike)`;

const againstName = ({ annotator }: LabelComparison): string =>
  `labels${annotator === null ? '' : ` of ${annotator}`}`;

const againstLine = (comparison: LabelComparison): string => {
  const { compared, unreviewed, agreement, agreementInterval, kappa, kappaInterval } = comparison;
  return `against ${compared} ${againstName(comparison)}: agreement ${share(agreement)} (${range(agreementInterval)}), Cohen’s kappa ${share(kappa)} (${range(kappaInterval)})${unreviewed === 0 ? '' : `; ${unreviewed} labels are of panels without an outcome`}`;
};

const differencesTable = (comparison: LabelComparison): Table => ({
  caption: `Where panels and ${againstName(comparison)} differ`,
  heads: ['question', 'sub-task', 'the panel says', 'the label'],
  names: 4,
  isList: true,
  rows: comparison.differ.map(({ uuid, epoch, subTask, outcome, label }) => [
    `${uuid}${epoch > 1 ? ` (epoch ${epoch})` : ''}`,
    subTask,
    outcome,
    label,
  ]),
});

/** Why a review has not ended; null if it has. */
export function stoppedText(
  { parked, failures, spent }: CallsProgress,
  flags: { readonly budgetUsd?: number; readonly budgetTokens?: number },
): string | null {
  if (parked !== null) {
    const budget = flags.budgetUsd === undefined ? '--budget-tokens' : '--budget-usd';
    return `the review is held at its budget: ${dollars(spent.usd)} and ${grouped(spent.tokens)} tokens are spent, and the next call may take ${dollars(parked.usd)} and ${grouped(parked.tokens)} tokens; the same command with a higher ${budget} goes on`;
  }
  const [first] = failures;
  if (first === undefined) return null;
  return `${failures.length} calls failed (${first.message}): their panels stay open, and the same command goes on with them`;
}

const percent = (part: number): string => `${Math.round(part * 100)} %`;
const share = (value: number | null): string => decimals(value, 2);
const range = (interval: Interval | null): string => between(interval, 2) || '–';
