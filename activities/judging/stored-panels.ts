import { answerTraceSchema } from '../../domain/agent/database-qa/answer-trace.js';
import type { RunId } from '../../domain/ids.js';
import { runFolder, traceFile } from '../../domain/runs/run-manifest.js';
import {
  subTasks,
  panelFolder,
  reviewFile,
  reviewRecordSchema,
  type ReviewConfig,
  type ReviewId,
  type ReviewRecord,
} from '../../domain/scoring/review/panel.js';
import {
  panelState,
  reviewedPart,
  reviewedParts,
  type PanelCase,
  type PanelState,
  type ReviewedAnswer,
} from '../../domain/scoring/review/panel-state.js';
import { PortFailure } from '../ports/port-failure.js';
import type { JudgingFilesPort, RunFilesPort } from '../ports/run-files.js';
import type { DatabasesPort } from '../ports/stores.js';
import { schemaOf } from '../questions/question-database.js';
import { samplesIn } from '../questions/run-samples.js';

export interface ReviewPorts {
  readonly runFiles: RunFilesPort;
  readonly judgingFiles: JudgingFilesPort;
  readonly databases: DatabasesPort;
}

export interface ReviewRef {
  readonly run: RunId;
  readonly review: ReviewId;
}

export async function reviewRecord(
  { runFiles }: ReviewPorts,
  { run, review }: ReviewRef,
): Promise<ReviewRecord> {
  const record = await runFiles.json(run, reviewFile(review), reviewRecordSchema);
  if (record !== null) return record;
  throw new PortFailure(
    'InvalidRun',
    `${reviewFile(review)} of run ${run} is missing: give the command again`,
  );
}

/** A panel and where its replies are stored. */
interface PanelPlace {
  /** Of the panel in its run: each sample has a place for each sub-task, in the order of the dataset. */
  readonly index: number;
  /** Of the replies, relative to TURNWISE_HOME. */
  readonly folder: string;
  readonly panelCase: PanelCase;
  /** Whether the answer came about without a plan and without a query. */
  readonly isEmpty: boolean;
}

/** A panel and the stored replies of its members. */
export interface StoredPanel extends PanelState, PanelPlace {}

/** Where a panel stands by the replies that are stored now. */
export async function withReplies(
  { judgingFiles }: Pick<ReviewPorts, 'judgingFiles'>,
  config: ReviewConfig,
  place: PanelPlace,
): Promise<StoredPanel> {
  const replies = await judgingFiles.replies(place.folder);
  return { ...place, ...panelState(config, place.panelCase, replies) };
}

/**
 * The panels of one sample of a run. None if it has no answer over a database.
 * @param sample - in the order of the run, from 0
 */
export async function panelsOfSample(
  { runFiles, databases }: ReviewPorts,
  { run, review }: ReviewRef,
  sample: number,
): Promise<readonly PanelPlace[]> {
  const manifest = await runFiles.manifest(run);
  const [key] = await samplesIn(runFiles, run, { start: sample, end: sample + 1 });
  if (key === undefined) return [];
  const [trace, end, item] = await Promise.all([
    runFiles.json(run, traceFile(key), answerTraceSchema),
    runFiles.end(run, key),
    runFiles.item(run, key.uuid),
  ]);
  if (trace === null || end?.result.outcome.kind !== 'answered') return [];
  const schema = await schemaOf(databases, manifest, item);
  const context =
    trace.method === 'no-interaction' ? await runFiles.questionContext(run, key) : null;
  const answer: ReviewedAnswer = {
    question: item.question,
    schema: schema ?? '',
    rows: context?.context ?? null,
    trace,
  };
  const { uuid, epoch } = key;
  return reviewedParts(trace).map((subTask) => ({
    index: sample * subTasks.length + subTasks.indexOf(subTask),
    folder: `${runFolder(run)}/${panelFolder(review, key, subTask)}`,
    panelCase: { uuid, epoch, part: reviewedPart(answer, subTask) },
    isEmpty: trace.queries.length === 0 && trace.plan.text.trim() === '',
  }));
}
