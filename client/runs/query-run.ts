import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { runWorkflowId, type RunId } from '../../domain/ids.js';
import type { ModelConfig } from '../../domain/models/model-settings.js';
import type { QuestionHistory, RunLive } from '../../domain/runs/run-status.js';
import { isStuck } from '../../domain/runs/slow-question.js';
import { progressQuery } from '../../workflows/messages.js';
import { isStuckRun } from './live-run.js';
import type { RunFolder } from './run-folder.js';
import { accountLines } from './run-snapshot.js';
import { questionHistories, slowQuestions } from './slow-questions.js';
import type { RunHandle } from './start-run.js';

/** Longer than a worker takes to answer that is not overloaded. */
const answerMs = 3_000;
const stuckShown = 10;
/** A worker asks for work once a minute, or more often. */
const workerSeenMs = 90_000;

export interface LiveQuery {
  readonly client: Client;
  readonly taskQueue: string;
  readonly run: RunId;
  /** Null where the run's files are elsewhere. */
  readonly folder: RunFolder | null;
  /** What a turn usually takes; null where none has been seen. */
  readonly turnMs: number | null;
}

/** What the server and its workers say of a run, with the questions that may be stuck. */
export async function queryLive(request: LiveQuery): Promise<RunLive> {
  const { client, run, folder, turnMs } = request;
  const handle: RunHandle = client.workflow.getHandle(runWorkflowId(run));
  const [isOpen, progress] = await Promise.all([
    isOpenRun(handle),
    client.withDeadline(Date.now() + answerMs, () => handle.query(progressQuery)).catch(() => null),
  ]);
  if (!isOpen) return { kind: 'not-open' };
  if (progress === null && (await isStuckRun(client, run))) return { kind: 'stuck' };
  if (progress === null) return { kind: 'silent', workers: await workersOf(request) };
  const now = Date.now();
  const stuck = await slowQuestions({ client, run, folder, progress }, stuckShown, (question) =>
    isStuck(question, turnMs, now),
  );
  return { kind: 'open', progress, stuck };
}

async function isOpenRun(handle: RunHandle): Promise<boolean> {
  try {
    return (await handle.describe()).status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** Workers that asked for work of late. */
async function workersOf({ client, taskQueue }: LiveQuery): Promise<number> {
  const { namespace } = client.options;
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
  });
  const since = (Date.now() - workerSeenMs) / 1000;
  return pollers.filter(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) > since)
    .length;
}

export interface RunQuery extends Omit<LiveQuery, 'client'> {
  readonly isEnded: boolean;
  /** Null where it is known to the workers alone. */
  readonly model: ModelConfig | null;
  /** Histories wanted at most. */
  readonly histories: number;
}

/** What services that run know of a run. */
export interface Answer {
  /** Null where the run has ended. */
  readonly live: RunLive | null;
  readonly histories: readonly QuestionHistory[];
  /** How its provider's limits stand, a line each. */
  readonly limits: readonly string[];
}

export async function queryRun(client: Client, query: RunQuery): Promise<Answer> {
  const { isEnded, model } = query;
  const [live, histories, limits] = await Promise.all([
    isEnded ? null : queryLive({ client, ...query }),
    questionHistories(client, query.run, query.histories),
    isEnded || model === null ? [] : accountLines(client, model),
  ]);
  return { live, histories, limits };
}
