import { InvalidArgumentError, type Command } from 'commander';
import { z } from 'zod';
import { runIdSchema, type RunId } from '../../domain/ids.js';
import type { ModelConfig } from '../../domain/models/model-settings.js';
import { changesTo } from '../../domain/models/prompt-file.js';
import { decimal, type FlagsOf, option, whole } from '../../domain/option.js';
import { promptsOption } from '../../domain/runs/run-options.js';
import { defaultReview, maxSide, type ReviewConfig } from '../../domain/scoring/review/panel.js';
import {
  readReviewLabels,
  reviewReport,
  type PartKey,
  type ReviewLabel,
} from '../../domain/scoring/review/review-report.js';
import { reviewTexts } from '../../domain/scoring/review/review-messages.js';
import { databaseKey } from '../../domain/stores/database.js';
import { exitStatus } from '../../domain/user-error.js';
import { executeReview, planReview } from '../runs/scoring/review-run.js';
import { RunFolder } from '../runs/run-folder.js';
import { loadEnvironment } from '../services/environment.js';
import { readTexts } from '../runs/prompt-file.js';
import { note, warn } from '../services/tell.js';
import { flawedFiles, readTextFile } from '../services/read-file.js';
import { printSections } from '../views/print-sections.js';
import { forecastText, reviewSection, stoppedText } from '../views/sections/review.js';
import { addOptions, parseArgument } from './shared/arguments.js';
import { isToStart, withSession } from './shared/execute.js';
import { requirePrice } from '../runs/steering/budget-price.js';
import { callOptions, capOf } from './shared/limit-options.js';
import { judgeConfigOf, modelEndpoints, type ModelEndpoints } from './shared/model-options.js';

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
  against: option(
    '<file>',
    'what people decided, one JSON object a line: uuid, subTask (IP, TE or IS), label (perfect or imperfect), annotator if you like',
  ),
};
type ReviewFlags = FlagsOf<typeof reviewOptions>;

export function registerReview(program: Command): void {
  const command = program
    .command('review')
    .description('have models review the answers of a run over databases, without a reference')
    .argument('<run>', 'the run', parseArgument(runIdSchema));
  addOptions(command, reviewOptions).action(review);
}

function members(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new InvalidArgumentError('It must be names of models.');
  if (names.length > maxSide) throw new InvalidArgumentError(`It must be ${maxSide} at most.`);
  return names;
}

async function review(run: RunId, flags: ReviewFlags): Promise<void> {
  const { budgetUsd, concurrency } = flags;
  const environment = loadEnvironment();
  const config = configOf(flags, modelEndpoints(environment, flags.api));
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

function configOf(flags: ReviewFlags, endpoints: ModelEndpoints): ReviewConfig {
  const { reviewers, metaReviewers = reviewers, tries, seed, orderCheck, timeout } = flags;
  const prompts = changesTo(reviewTexts, readTexts(flags.prompts));
  // Without the cache: each place of a model in the panel gives an opinion of its own.
  const asked = { endpoints, timeoutMs: Math.round(timeout * 1000), cache: false };
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
