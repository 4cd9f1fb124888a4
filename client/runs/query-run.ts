import type { WorkflowExecutionDescription, WorkflowExecutionInfo } from '@temporalio/client';
import { defaultPayloadConverter, WorkflowNotFoundError, type Payload } from '@temporalio/common';
import {
  decode,
  decodeOptionalFailureToOptionalError,
} from '@temporalio/common/lib/internal-non-workflow/codec-helpers.js';
import { z } from 'zod';
import { inHome, workersOf } from '../../domain/home.js';
import {
  accountWorkflowPrefix,
  runWorkflowId,
  parseQuestionWorkflowId,
  questionWorkflowId,
  searchAttributes,
  type RunId,
  type SampleKey,
} from '../../domain/ids.js';
import type { ModelConfig } from '../../domain/models/model-settings.js';
import {
  isSlow,
  type QuestionDoing,
  type SlowQuestion,
} from '../../domain/runs/workflow-details.js';
import { stuckText } from '../../domain/stuck-workflow.js';
import type { LiveState, UnansweredState, RunProgress } from '../../domain/runs/run-progress.js';
import type { QuestionHistory } from '../../domain/runs/run-figures.js';
import { accountQuery, progressQuery, workflowNames } from '../../workflows/messages.js';
import { billedActions } from '../../temporal/actions.js';
import { findWorkflow, stuckIn } from '../../temporal/stuck-workflows.js';
import { connectTemporal } from '../services/session.js';
import { atHomeOf, type HomeClient, type HomeSettings } from '../services/home-client.js';
import type {
  AskServer,
  ProviderAccount,
  ServerAnswer,
  ServerQuery,
} from './status/run-snapshot.js';
import { describeOpen } from './restarted.js';
import type { RunHandle } from './start-run.js';
import type { RunFolder } from './run-folder.js';

/** Longer than a worker takes to answer that is not overloaded. */
const answerMs = 3_000;
const slowListed = 10;

export async function queryRun(client: HomeClient, query: ServerQuery): Promise<ServerAnswer> {
  const { isEnded, model } = query;
  const [live, histories, accounts] = await Promise.all([
    isEnded ? null : queryLive(client, query),
    questionHistories(client, query.run, query.histories),
    isEnded || model === null ? [] : queryAccounts(client, model),
  ]);
  return { live, histories, accounts };
}

/** The same over a connection of its own. */
export const queryServer =
  (temporalAddress: string, environment: HomeSettings): AskServer =>
  async (query) => {
    const client = await connectTemporal(temporalAddress, environment);
    try {
      const home = query.folder ? client : await atHomeOf(client, query.run, environment);
      return await queryRun(home ?? client, query);
    } finally {
      await client.connection.close();
    }
  };

export async function queryLive(
  client: HomeClient,
  query: Pick<ServerQuery, 'run' | 'folder'>,
): Promise<LiveState> {
  const { run, folder } = query;
  const live = await queryProgress(client, run);
  if (live.kind !== 'open') return live;
  const { progress } = live;
  const now = Date.now();
  const slow = await slowQuestions({ client, run, folder, progress }, slowListed, (question) =>
    isSlow(question, now),
  );
  return { kind: 'open', progress, slow };
}

/** What the server says of a run, its questions apart. */
export async function queryProgress(
  client: HomeClient,
  run: RunId,
): Promise<UnansweredState | { readonly kind: 'open'; readonly progress: RunProgress }> {
  const handle: RunHandle = client.workflow.getHandle(runWorkflowId(client.home, run));
  const [found, progress] = await Promise.all([
    findWorkflow(client, handle.workflowId),
    client.withDeadline(Date.now() + answerMs, () => handle.query(progressQuery)).catch(() => null),
  ]);
  if (found.kind === 'stuck') return { kind: 'stuck', why: stuckText(found.stuck) };
  if (found.kind !== 'open') return { kind: 'not-open' };
  if (progress === null) return { kind: 'silent', workers: await countWorkers(client) };
  return { kind: 'open', progress };
}

/** Workers that have polled the task queue recently. */
async function countWorkers(client: HomeClient): Promise<number> {
  const { namespace } = client.options;
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: client.queue },
  });
  return workersOf(pollers, Date.now());
}

/**
 * What the workers know of the provider's limits for a model, for each key in use. Empty where no worker has called the
 * model in the last minutes, or Temporal does not answer.
 */
export async function queryAccounts(
  client: HomeClient,
  { baseUrl, name: model }: Pick<ModelConfig, 'baseUrl' | 'name'>,
): Promise<readonly ProviderAccount[]> {
  const query = `WorkflowId STARTS_WITH '${inHome(client.home, accountWorkflowPrefix(baseUrl, model))}' AND ExecutionStatus = 'Running'`;
  try {
    return await client.withDeadline(Date.now() + answerMs, async () => {
      const accounts: ProviderAccount[] = [];
      for await (const { workflowId } of client.workflow.list({ query })) {
        const summary = await client.workflow.getHandle(workflowId).query(accountQuery);
        accounts.push({ baseUrl, model, summary });
      }
      return accounts;
    });
  } catch {
    return [];
  }
}

/** What a call tells the server while it is tried (`activities/call-try.ts`). */
const tellingSchema = z.object({ stage: z.string() });

/** What of a run says which of its questions are slow. */
interface QuestionsInFlight {
  readonly client: HomeClient;
  readonly run: RunId;
  /** Null where the run's files are elsewhere. */
  readonly folder: RunFolder | null;
  readonly progress: Pick<RunProgress, 'inFlight' | 'waiting'>;
}

type Moved = Pick<SlowQuestion, 'movedAtMs'>;

/**
 * The questions in flight for which nothing has happened for longest, the slowest first. However many are in flight,
 * the server, which may be busy, is asked about no more than twice as many as are wanted, and of those that are not slow
 * about one at most.
 * @param isSlow - says which are to be told of. @defaultValue all
 */
export async function slowQuestions(
  flight: QuestionsInFlight,
  wanted: number,
  isSlow: (question: Moved) => boolean = () => true,
): Promise<readonly SlowQuestion[]> {
  const { folder, progress } = flight;
  const all = await Promise.all(
    progress.inFlight.map(async (key) => ({
      key,
      storedAtMs: folder && (await folder.storedAtMs(key)),
    })),
  );
  const stored = all
    .flatMap(({ key, storedAtMs }) => (storedAtMs === null ? [] : [{ key, storedAtMs }]))
    .filter(({ storedAtMs }) => isSlow({ movedAtMs: storedAtMs }))
    .sort((a, b) => a.storedAtMs - b.storedAtMs)
    .slice(0, wanted);
  const lookAtFresh = async (): Promise<readonly SlowQuestion[]> => {
    const slow: SlowQuestion[] = [];
    // The first ones began first; of one that is closed that is no longer known.
    for (const { key } of all.filter(({ storedAtMs }) => storedAtMs === null).slice(0, wanted)) {
      const question = await look(flight, key, null);
      if (isSlow(question) || question.doing.kind === 'stuck') slow.push(question);
      else if (question.doing.kind !== 'closed') break;
    }
    return slow;
  };
  const looks = await Promise.all([
    lookAtFresh(),
    ...stored.map(({ key, storedAtMs }) => look(flight, key, storedAtMs)),
  ]);
  return looks
    .flat()
    .sort((a, b) => a.movedAtMs - b.movedAtMs)
    .slice(0, wanted);
}

async function look(
  { client, run, folder, progress }: QuestionsInFlight,
  key: SampleKey,
  storedAtMs: number | null,
): Promise<SlowQuestion> {
  const { uuid, epoch } = key;
  const waiting = progress.waiting.find((each) => each.uuid === uuid && each.epoch === epoch);
  const description = await describeOpen(client, questionWorkflowId(client.home, run, key));
  const doing: QuestionDoing = waiting
    ? { kind: 'waits', waiting }
    : description === null
      ? { kind: 'closed' }
      : await doingNow(client, description);
  return {
    uuid,
    epoch,
    turns: folder ? (await folder.repliedTurns(key)).length : 0,
    movedAtMs: storedAtMs ?? description?.startTime.getTime() ?? Date.now(),
    doing,
  };
}

async function doingNow(
  client: HomeClient,
  description: WorkflowExecutionDescription,
): Promise<QuestionDoing> {
  const stuck = await stuckIn(client, description);
  if (stuck !== null) return { kind: 'stuck', why: stuckText(stuck) };
  const { pendingActivities, pendingWorkflowTask = null } = description.raw;
  const activities = (pendingActivities ?? []).map(async (pending) => {
    const converter = client.options.loadedDataConverter;
    const failure = await decodeOptionalFailureToOptionalError(converter, pending.lastFailure);
    const details = pending.heartbeatDetails?.payloads ?? [];
    const heartbeatDetails = { payloads: await decode(converter.payloadCodecs, details) };
    return { ...pending, lastFailure: failure ?? null, heartbeatDetails };
  });
  return doingOf({ pendingActivities: await Promise.all(activities), pendingWorkflowTask });
}

/** As the server numbers the states of both: PENDING_ACTIVITY_STATE_STARTED, PENDING_WORKFLOW_TASK_STATE_STARTED. */
const started = 2;

/** The part of a workflow's description that says what it waits for. */
export interface PendingWork {
  readonly pendingActivities?: readonly PendingActivity[] | null;
  readonly pendingWorkflowTask?: { readonly state?: number | null } | null;
}

interface PendingActivity {
  readonly activityType?: { readonly name?: string | null } | null;
  readonly state?: number | null;
  readonly attempt?: number | null;
  readonly maximumAttempts?: number | null;
  readonly lastFailure?: { readonly message?: string | null } | null;
  readonly heartbeatDetails?: { readonly payloads?: readonly Payload[] | null } | null;
}

export function doingOf({ pendingActivities, pendingWorkflowTask }: PendingWork): QuestionDoing {
  const [pending] = pendingActivities ?? [];
  if (!pending) {
    if (!pendingWorkflowTask) return { kind: 'rests' };
    // It is open while the model is asked in the worker that has it.
    return { kind: pendingWorkflowTask.state === started ? 'at-work' : 'unclaimed' };
  }
  const activity = pending.activityType?.name ?? '';
  const attempt = pending.attempt ?? 1;
  if (attempt > 1) {
    const attempts = pending.maximumAttempts ?? 0;
    return {
      kind: 'retries',
      activity,
      attempt,
      attempts,
      lastFailure: pending.lastFailure?.message ?? '',
    };
  }
  if (pending.state !== started) return { kind: 'unclaimed' };
  const [details] = pending.heartbeatDetails?.payloads ?? [];
  const told: unknown = details ? defaultPayloadConverter.fromPayload(details) : null;
  return { kind: 'works', activity, told: tellingSchema.safeParse(told).data?.stage ?? null };
}

/** Each is a request of its own, and questions of a run are alike. */
const actionsCounted = 20;

/** What visibility lists at once; the server takes about ten such requests a second. */
const pageSize = 1000;

/**
 * Histories of a run's questions that have ended, as visibility has them: seconds late.
 * @param most - Infinity for all of them, which takes a good part of a second for each thousand
 */
export async function questionHistories(
  client: HomeClient,
  run: RunId,
  most: number,
): Promise<readonly QuestionHistory[]> {
  const histories: QuestionHistory[] = [];
  const counted = most === Infinity ? actionsCounted : 0;
  if (most === 0) return histories;
  const query = `${searchAttributes.run} = '${run}' AND WorkflowId STARTS_WITH '${inHome(client.home, '')}' AND WorkflowType = '${workflowNames.answerQuestion}' AND ExecutionStatus = 'Completed'`;
  for await (const execution of client.workflow.list({
    query,
    pageSize: Math.min(most, pageSize),
  })) {
    const key = parseQuestionWorkflowId(execution.workflowId);
    if (!key) continue;
    histories.push({
      ...key,
      historyBytes: execution.historySize ?? 0,
      historyEvents: execution.historyLength,
      actions: histories.length < counted ? await actionsOf(client, execution) : null,
    });
    if (histories.length >= most) break;
  }
  return histories;
}

/** Null where the server keeps its history no more. */
async function actionsOf(
  client: HomeClient,
  { workflowId, runId }: WorkflowExecutionInfo,
): Promise<number | null> {
  try {
    return billedActions(await client.workflow.getHandle(workflowId, runId).fetchHistory());
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}
