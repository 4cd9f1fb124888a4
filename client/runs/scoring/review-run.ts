import { answerTraceSchema } from '../../../domain/agent/database-qa/answer-trace.js';
import type { Cap } from '../../../domain/budget/amount.js';
import { versionWith } from '../../../domain/models/prompt-file.js';
import type { SampleKey } from '../../../domain/ids.js';
import {
  panelsFile,
  runFolder,
  traceFile,
  databaseOf,
  type RunManifest,
} from '../../../domain/runs/run-manifest.js';
import type { DatasetItem } from '../../../domain/scoring/dataset-item.js';
import type { CallsProgress } from '../../../domain/scoring/open-calls.js';
import {
  reviewedPanelSchema,
  subTasks,
  type ReviewedPanel,
  reviewIdOf,
  reviewPromptVersion,
  reviewWorkflowId,
  type ReviewConfig,
  reviewFile,
  reviewFolder,
  reviewRecordSchema,
  type ReviewRecord,
} from '../../../domain/scoring/review/panel.js';
import {
  reviewedParts,
  type ReviewedAnswer,
  reviewForecast,
  type ReviewForecast,
} from '../../../domain/scoring/review/panel-state.js';
import type { PartKey, AnsweringModel } from '../../../domain/scoring/review/review-report.js';
import type { DatabaseRef } from '../../../domain/stores/database.js';
import { renderDatabaseDdl } from '../../../domain/stores/database-schema.js';
import type { StoreSettings } from '../../../storage/stores/store-place.js';
import { UserError } from '../../../domain/user-error.js';
import { workflowNames } from '../../../workflows/messages.js';
import type { ReviewAnswersInput } from '../../../workflows/jobs/call-jobs.js';
import type { Session } from '../../services/session.js';
import { jobLimits, executeCalls } from './execute-calls.js';
import { storedDescription } from '../database-qa/question-databases.js';
import { samplesOf, type RunFolder } from '../run-folder.js';

/** Answers whose prompts are counted for a forecast. */
const answersCounted = 10;

/** A review that is to be made, or made further. */
interface PlannedReview {
  readonly manifest: RunManifest;
  readonly items: readonly DatasetItem[];
  readonly record: ReviewRecord;
  readonly forecast: ReviewForecast;
  /** The parts that have panels. */
  readonly parts: readonly PartKey[];
  /** The model that gave the answers. */
  readonly model: AnsweringModel['model'];
}

/** @throws UserError if the run has no answers that can be reviewed */
export async function planReview(folder: RunFolder, config: ReviewConfig): Promise<PlannedReview> {
  const manifest = await folder.manifest();
  const { run } = folder;
  const review = reviewIdOf(config);
  const [known, results, items] = await Promise.all([
    folder.readJson(reviewFile(review), reviewRecordSchema),
    folder.results(),
    folder.items(),
  ]);
  const answered = results.filter(({ outcome }) => outcome.kind === 'answered');
  const step = Math.max(1, Math.floor(answered.length / answersCounted));
  const some = answered.filter((_, index) => index % step === 0).slice(0, answersCounted);
  const answers = await Promise.all(some.map((key) => answerOf(folder, manifest, items, key)));
  const found = answers.filter((answer) => answer !== null);
  const [first] = found;
  if (first === undefined) {
    throw new UserError(
      `run ${run} has no answers over databases, which are what is reviewed: \`turnwise run\` with --method sequential, iterative or no-interaction makes some`,
    );
  }
  return {
    ...{ manifest, items },
    // Prices and addresses may have changed since.
    record: {
      ...{ run, review, config, totals: known?.totals ?? null },
      prompts: versionWith(reviewPromptVersion, config.prompts),
    },
    forecast: reviewForecast(config, answered.length, found),
    parts: answered.flatMap(({ uuid, epoch }) =>
      reviewedParts(first.trace).map((subTask) => ({ uuid, epoch, subTask })),
    ),
    model: { configured: manifest.config.model.name, returned: first.trace.model },
  };
}

/** Null for an answer without a trace. */
async function answerOf(
  folder: RunFolder,
  manifest: RunManifest,
  items: readonly DatasetItem[],
  key: SampleKey,
): Promise<ReviewedAnswer | null> {
  const trace = await folder.readJson(traceFile(key), answerTraceSchema);
  const item = items.find(({ uuid }) => uuid === key.uuid);
  const database = item && databaseOf(manifest, item);
  if (trace === null || item === undefined || !database) return null;
  const context = await folder.questionContext(key);
  return {
    question: item.question,
    schema: await schemaText(folder.place, database),
    rows: context?.context ?? null,
    trace,
  };
}

async function schemaText(settings: StoreSettings, database: DatabaseRef): Promise<string> {
  const described = await storedDescription(settings, database);
  if (described) return renderDatabaseDdl(described);
  throw new UserError(
    'the description of a database of the run is missing or damaged: start the run again with the same command, which imports it',
  );
}

/** What a review has led to. */
interface MadeReview {
  readonly record: ReviewRecord;
  readonly panels: readonly ReviewedPanel[];
  /** Of the calls that this command has made. */
  readonly progress: CallsProgress;
}

/** Starts or continues a review, and follows it until it ends or its budget stops it. */
export async function executeReview(
  { client }: Pick<Session, 'client'>,
  folder: RunFolder,
  { manifest, record }: PlannedReview,
  limits: { readonly concurrency: number; readonly budget: Cap },
): Promise<MadeReview> {
  const { run, review, config } = record;
  await folder.writeJson(reviewFile(review), record);
  const progress = await executeCalls<ReviewAnswersInput>(client, {
    workflow: workflowNames.reviewAnswers,
    workflowId: reviewWorkflowId(client.home, run, review),
    taskQueue: client.queue,
    run,
    summary: `${config.reviewers.length} reviewers and ${config.metaReviewers.length} meta-reviewers of run ${run}`,
    done: 'reviewed',
    cases: 'panels',
    input: {
      run,
      review,
      cases: samplesOf(manifest) * subTasks.length,
      ...limits,
      ...jobLimits(
        [...config.reviewers, ...config.metaReviewers],
        `${runFolder(run)}/${reviewFolder(review)}`,
      ),
    },
  });
  const [written, panels] = await Promise.all([
    folder.readJson(reviewFile(review), reviewRecordSchema),
    folder.readLines(panelsFile(review), reviewedPanelSchema),
  ]);
  return { record: written ?? record, panels, progress };
}
