import type { CommandLine } from './shared/command-line.js';
import type { RunId } from '../../domain/ids.js';
import type { ModelConfig } from '../../domain/models/model-settings.js';
import { changesTo } from '../../domain/models/prompt-file.js';
import { decimal, type FlagsOf, option, whole } from '../../domain/option.js';
import { batchOption, promptsOption } from '../../domain/runs/run-options.js';
import {
  defaultReview,
  maxSide,
  type ReviewConfig,
  type SubTask,
  type ReviewRecord,
} from '../../domain/scoring/review/panel.js';
import {
  readReviewLabels,
  type PartKey,
  type ReviewLabel,
  type LabelComparison,
  reviewReport,
  type ReviewReport,
  type SubTaskReport,
} from '../../domain/scoring/review/review-report.js';
import { reviewTexts } from '../../domain/scoring/review/review-messages.js';
import { databaseKey } from '../../domain/stores/database.js';
import { exitStatus } from '../../domain/user-error.js';
import { executeReview, planReview } from '../runs/scoring/review-run.js';
import type { Environment } from '../../domain/settings.js';
import { RunFolder } from '../runs/run-folder.js';
import { loadEnvironment } from '../services/environment.js';
import { readTexts } from '../runs/prompt-file.js';
import { note, warn } from '../services/tell.js';
import { flawedFiles, readTextFile } from '../services/read-file.js';
import { printSections } from '../views/print-sections.js';
import { isToStart, withSession } from './shared/execute.js';
import { requirePrice } from '../runs/steering/budget-price.js';
import {
  batchRemark,
  callOptions,
  callsAtOnce,
  capOf,
  judgeConfigOf,
  callSettings,
} from './shared/model-options.js';
import { countText, decimals, grouped, said, type Texts } from '../../domain/formats/text.js';
import { dollars } from '../../domain/models/usage.js';
import type { CallsProgress } from '../../domain/scoring/open-calls.js';
import { bestMember, type SideWorth } from '../../domain/scoring/review/panel-worth.js';
import type { ReviewForecast } from '../../domain/scoring/review/panel-state.js';
import type { Interval } from '../../domain/statistics/means.js';
import {
  figuresOf,
  listOf,
  section,
  unlessEmpty,
  type Row,
  type Section,
  type Table,
} from '../views/sections/section.js';
import { between } from '../views/terminal.js';
import { InvalidArgumentError } from 'commander';
import { z } from 'zod';

const reviewOptions = {
  reviewers: option(
    '<names>',
    'models that review each part of an answer, with commas between them; three are usual',
    z.string().transform(members),
  ),
  metaReviewers: option(
    '<names>',
    'models that weigh the reviews and decide (default: the reviewers)',
    z.string().transform(members).optional(),
  ),
  tries: option(
    '<n>',
    'calls of a member that replies nothing readable, before it counts as missing',
    whole(1, 10).default(defaultReview.tries),
  ),
  ...promptsOption,
  seed: option('<n>', 'of the order of reviews', whole(0, 2 ** 32).default(defaultReview.seed)),
  orderCheck: option(
    '<share>',
    'of the panels that are asked again with the reviews in reverse order',
    decimal(0, 1).default(defaultReview.orderCheck),
  ),
  ...callOptions(
    'what the review may cost, earlier commands included',
    'tokens that the review may use, earlier commands included',
  ),
  ...batchOption,
  against: option(
    '<file>',
    'what people decided, one JSON object a line: uuid, subTask (IP, TE or IS), label (perfect or imperfect), annotator if you like',
  ),
};
type ReviewFlags = FlagsOf<typeof reviewOptions>;

export function registerReview(program: CommandLine): void {
  program
    .commandOnRun(
      'review',
      'have models review the answers of a run over databases, without a reference',
    )
    .takes(reviewOptions)
    .action(review);
}

function members(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new InvalidArgumentError('It must be names of models.');
  if (names.length > maxSide) throw new InvalidArgumentError(`It must be ${maxSide} at most.`);
  return names;
}

async function review(run: RunId, flags: ReviewFlags): Promise<void> {
  const { budgetUsd } = flags;
  const concurrency = callsAtOnce(flags);
  const environment = loadEnvironment();
  const config = configOf(flags, environment);
  for (const model of [...config.reviewers, ...config.metaReviewers])
    requirePrice(model, { budgetUsd });
  const folder = RunFolder.of(environment, run);
  const planned = await planReview(folder, config);
  const labels = flags.against === undefined ? null : labelsIn(flags.against, planned.parts);
  note(forecastText(planned.record, planned.forecast));
  if (!(await isToStart(flags.yes))) return;
  const budget = capOf(flags);
  const made = await withSession(environment, (session) =>
    executeReview(session, folder, planned, { concurrency, budget }),
  );
  const { record, panels, progress } = made;
  const databaseOf = new Map(
    planned.items.map(({ uuid, database }): [string, string | undefined] => [
      uuid,
      database && databaseKey(database),
    ]),
  );
  const report = reviewReport(panels, { model: planned.model, config }, labels, (uuid) =>
    databaseOf.get(uuid),
  );
  printSections(flags, {
    title: `Review of run ${run}`,
    sections: [reviewSection(report, record, run)],
    data: { ...record, progress, report },
  });
  const stopped = stoppedText(progress, flags);
  if (stopped === null) return;
  warn(stopped);
  process.exitCode =
    progress.parked === null ? exitStatus.doneWithOutsideFailures : exitStatus.runWaits;
}

function configOf(flags: ReviewFlags, environment: Environment): ReviewConfig {
  const { reviewers, metaReviewers = reviewers, tries, seed, orderCheck } = flags;
  const prompts = changesTo(reviewTexts, readTexts(flags.prompts));
  // Without the cache: each place of a model in the panel gives an opinion of its own.
  const asked = callSettings(environment, flags);
  const member = (name: string): ModelConfig => judgeConfigOf(name, asked, defaultReview);
  return {
    reviewers: reviewers.map(member),
    metaReviewers: metaReviewers.map(member),
    tries,
    seed,
    orderCheck,
    ...(Object.keys(prompts).length > 0 && { prompts }),
  };
}

function labelsIn(file: string, parts: readonly PartKey[]): readonly ReviewLabel[] {
  const { labels, problems } = readReviewLabels(readTextFile(file), parts);
  if (problems.length > 0) throw flawedFiles([{ file, problems }]);
  return labels;
}

/** What a review will take, and how much of it is made already. */
export function forecastText(
  { config, totals }: ReviewRecord,
  { answers, panels, calls, promptTokens, completionTokens, usd }: ReviewForecast,
): string {
  const made = totals?.usage.calls ?? 0;
  const { reviewers, metaReviewers, orderCheck } = config;
  return [
    `${grouped(answers)} answers, ${grouped(panels)} panels of ${reviewers.length} reviewers and ${metaReviewers.length} meta-reviewers, of which ${percent(orderCheck)} are asked again in reverse order`,
    `about ${grouped(calls)} calls, ${countText(promptTokens)} prompt tokens and ${countText(completionTokens)} completion tokens, ${usd === null ? 'cost unknown' : dollars(usd)}${made === 0 ? '' : `; ${grouped(made)} calls are made already`}${batchRemark([...reviewers, ...metaReviewers])}`,
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
): Section =>
  section('review', `Review ${review}`, {
    words: [
      `review ${review} of run ${run}`,
      report.subTasks.map(missingLines),
      totals !== null &&
        totals.withoutInteraction > 0 &&
        `${totals.withoutInteraction} panels of IP and TE are about answers without interaction: an empty plan and no queries`,
      report.subTasks.map(worthLines),
      report.against?.map(againstLine),
    ],
    notes: ownModelLine(report),
    tables: [
      {
        ...figuresOf(
          'Panels',
          [
            ...['sub-task', 'panels', 'reviewers', 'agree', 'kappa'],
            ...['meta', 'agree', 'kappa', 'outcome', 'between'],
          ],
          report.subTasks.map(figuresRow),
        ),
        legend: [
          'reviewers, meta and outcome: the share of perfect; agree: the share of panels of one mind',
        ],
      },
      ...(report.against ?? []).map(differencesTable).map(unlessEmpty),
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

const differencesTable = (comparison: LabelComparison): Table =>
  listOf(
    `Where panels and ${againstName(comparison)} differ`,
    ['question', 'sub-task', 'the panel says', 'the label'],
    comparison.differ.map(({ uuid, epoch, subTask, outcome, label }) => [
      `${uuid}${epoch > 1 ? ` (epoch ${epoch})` : ''}`,
      subTask,
      outcome,
      label,
    ]),
  );

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
