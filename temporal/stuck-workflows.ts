import {
  WorkflowNotFoundError,
  type Client,
  type WorkflowExecutionDescription,
  type WorkflowHandle,
} from '@temporalio/client';
import type { LoadedDataConverter, Payload } from '@temporalio/common';
import {
  decodeArrayFromPayloads,
  decodeOptionalFailureToOptionalError,
} from '@temporalio/common/lib/internal-non-workflow/codec-helpers.js';
import { preview } from '../domain/formats/text.js';
import { inHome, type HomeId } from '../domain/home.js';
import { searchAttributes } from '../domain/ids.js';
import {
  firstInput,
  nextRestarts,
  restartsSchema,
  type Restarts,
  type StuckWorkflow,
} from '../domain/stuck-workflow.js';
import {
  pauseQuestionSignal,
  resumeQuestionSignal,
  stopQuestionSignal,
} from '../workflows/messages.js';

type FoundWorkflow =
  | { readonly kind: 'absent' }
  /** `restarts`: how often it was started again from its files; null if never. */
  | { readonly kind: 'closed' | 'open'; readonly restarts: Restarts | null }
  | { readonly kind: 'stuck'; readonly stuck: StuckWorkflow };

/** Whether a workflow is open, and can go on. */
export async function findWorkflow(client: Client, workflowId: string): Promise<FoundWorkflow> {
  const description = await describe(client.workflow.getHandle(workflowId));
  if (description === null) return { kind: 'absent' };
  if (description.status.name !== 'RUNNING' && description.status.name !== 'PAUSED') {
    return { kind: 'closed', restarts: restartsOf(description) };
  }
  const stuck = await stuckIn(client, description);
  if (stuck !== null) return { kind: 'stuck', stuck };
  return { kind: 'open', restarts: restartsOf(description) };
}

type Handle = Pick<WorkflowHandle, 'describe'>;

async function describe(handle: Handle): Promise<WorkflowExecutionDescription | null> {
  try {
    return await handle.describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

const restartsOf = ({ memo }: WorkflowExecutionDescription): Restarts | null =>
  restartsSchema.safeParse(memo?.['restarts']).data ?? null;

/**
 * The attempts at a workflow task of which the last is under way before the workflow counts as stuck. The SDK answers the
 * server only at the first; the second follows at once, and lasts until the task times out.
 */
const failedAttempts = 3;
/** So long the second attempt lasts where the worker does not answer. An attempt that succeeds ends in much less. */
const silentMs = 4_000;

/** WORKFLOW_TASK_FAILED_CAUSE_… in Temporal's API. The other causes pass by themselves. */
const workerFailure = 14;
const nonDeterminism = 24;

/** Far more than are added between two workflow tasks. */
const newestEvents = 200;

/** Null where the workflow can go on, as far as is known. */
export async function stuckIn(
  client: Client,
  description: WorkflowExecutionDescription,
): Promise<StuckWorkflow | null> {
  const { workflowId, runId, type, raw } = description;
  const task = raw.pendingWorkflowTask;
  const attempt = task?.attempt ?? 1;
  const lastsMs = Date.now() - 1000 * Number(task?.scheduledTime?.seconds ?? Infinity);
  if (attempt < 2 || (attempt < failedAttempts && lastsMs < silentMs)) return null;
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: newestEvents,
  });
  const events = history?.events ?? [];
  const last = events.find(
    (event) =>
      event.workflowTaskCompletedEventAttributes ?? event.workflowTaskFailedEventAttributes,
  );
  const failed = last?.workflowTaskFailedEventAttributes;
  const cause = Number(failed?.cause);
  if (!failed || (cause !== workerFailure && cause !== nonDeterminism)) return null;
  const started = events.find(({ eventId }) => String(eventId) === String(failed.startedEventId));
  const build = started?.workflowTaskStartedEventAttributes?.workerVersion?.buildId ?? '';
  const restarts = restartsOf(description);
  return {
    ...{ workflowId, runId, type, build },
    cause: causeText(
      await decodeOptionalFailureToOptionalError(converterOf(client), failed.failure),
      cause === nonDeterminism,
    ),
    restarts: restarts?.build === build ? restarts.count : 0,
  };
}

const converterOf = ({ options }: Client): LoadedDataConverter => options.loadedDataConverter;

/** The class of an error of JavaScript is only in its stack. */
function causeText(failure: Error | undefined, isReplay: boolean): string {
  const text = failure?.message ?? 'an error without a message';
  if (isReplay) return `this version cannot replay it (nondeterminism: ${preview(text, 200)})`;
  const line = failure?.stack?.split('\n').find((each) => each.endsWith(`: ${text}`));
  return `${preview(line?.trim() ?? text, 200)} (workflow code)`;
}

/** What a question was told is nowhere but in its history. */
const keptSignals = new Set<string>(
  [pauseQuestionSignal, resumeQuestionSignal, stopQuestionSignal].map(({ name }) => name),
);

/**
 * Ends a workflow that cannot go on, and starts it again as it began: what it had done it finds in its files. It keeps a
 * request to cancel it. Of one whose parent waits for it, the parent is started again.
 */
export async function restartStuck(client: Client, stuck: StuckWorkflow): Promise<void> {
  const { workflowId, runId } = stuck;
  const description = await describe(client.workflow.getHandle(workflowId, runId));
  // Somebody else has started it again.
  if (description?.status.name !== 'RUNNING') return;
  const parent = await waitingParent(client, description);
  await startAgain(client, parent ?? description, nextRestarts(stuck));
}

/** Starts a workflow again that was closed before it had ended. @param before - how often that has happened */
export async function restartClosed(
  client: Client,
  workflowId: string,
  before: Restarts | null,
): Promise<void> {
  const description = await client.workflow.getHandle(workflowId).describe();
  await startAgain(client, description, {
    build: before?.build ?? '',
    count: (before?.count ?? 0) + 1,
    cause: 'it was closed before it had ended',
  });
}

const ownAttributes = new Set<string>(Object.values(searchAttributes));

async function startAgain(
  client: Client,
  description: WorkflowExecutionDescription,
  restarts: Restarts,
): Promise<void> {
  const { workflowId, type, taskQueue, memo, typedSearchAttributes, raw } = description;
  const { defaultWorkflowTaskTimeout, workflowExecutionTimeout } = raw.executionConfig ?? {};
  // Somebody waits for it who gives up soon.
  if (Number(workflowExecutionTimeout?.seconds ?? 0) > 0) return;
  const summary = await description.staticSummary();
  const { args, signals, isCancelled } = await begun(client, description);
  await endChildren(client, description);
  const handle = await client.workflow.start(type, {
    ...{ workflowId, taskQueue, args },
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    // At once, so that nobody finds the workflow closed. Of two who do this, the second does it for nothing.
    workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    memo: { ...memo, restarts },
    ...(summary !== undefined && { staticSummary: summary }),
    workflowTaskTimeout: 1000 * Number(defaultWorkflowTaskTimeout?.seconds ?? 10),
    typedSearchAttributes: typedSearchAttributes
      .getAll()
      .filter(({ key }) => ownAttributes.has(key.name)),
  });
  for (const { name, values } of signals) await handle.signal(name, ...values);
  if (isCancelled) await client.workflow.getHandle(workflowId).cancel();
}

interface Signalled {
  readonly name: string;
  readonly values: readonly unknown[];
}

/** What a workflow began with, and what it has been told since. */
async function begun(
  client: Client,
  { workflowId, runId }: WorkflowExecutionDescription,
): Promise<{
  readonly args: unknown[];
  readonly signals: readonly Signalled[];
  readonly isCancelled: boolean;
}> {
  const valuesOf = (input?: { readonly payloads?: Payload[] | null } | null): Promise<unknown[]> =>
    decodeArrayFromPayloads(converterOf(client), input?.payloads);
  let args: unknown[] = [];
  let isCancelled = false;
  const signals: Signalled[] = [];
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: { workflowId, runId },
      ...(nextPageToken && { nextPageToken }),
    });
    for (const event of page.history?.events ?? []) {
      const { input } = event.workflowExecutionStartedEventAttributes ?? {};
      if (input) args = (await valuesOf(input)).map(firstInput);
      const signal = event.workflowExecutionSignaledEventAttributes;
      const name = signal?.signalName ?? '';
      if (keptSignals.has(name)) {
        signals.push({ name, values: await valuesOf(signal?.input) });
      }
      isCancelled ||= Boolean(event.workflowExecutionCancelRequestedEventAttributes);
    }
    nextPageToken = page.nextPageToken;
  } while (nextPageToken.length > 0);
  return { args, signals, isCancelled };
}

/** PARENT_CLOSE_POLICY_TERMINATE in Temporal's API: the parent waits for such a child. */
const endsWithParent = 1;

async function waitingParent(
  client: Client,
  { workflowId, parentExecution }: WorkflowExecutionDescription,
): Promise<WorkflowExecutionDescription | null> {
  if (!parentExecution) return null;
  const parent = await describe(
    client.workflow.getHandle(parentExecution.workflowId ?? '', parentExecution.runId ?? undefined),
  );
  const waits = parent?.raw.pendingChildren?.some(
    (child) =>
      child.workflowId === workflowId && Number(child.parentClosePolicy) === endsWithParent,
  );
  return waits ? parent : null;
}

/** Now, since those who begin again would still find them open. */
async function endChildren(client: Client, parent: WorkflowExecutionDescription): Promise<void> {
  const reason = 'its parent begins again';
  for (const { workflowId, runId, parentClosePolicy } of parent.raw.pendingChildren ?? []) {
    if (!workflowId || !runId || Number(parentClosePolicy) !== endsWithParent) continue;
    await client.workflow
      .getHandle(workflowId, runId)
      .terminate(reason)
      .catch((error: unknown) => {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      });
  }
}

/** The stuck ones among the open workflows of a home. @param most - how many open ones are looked at */
export async function stuckOfHome(
  client: Client,
  home: HomeId,
  most = Infinity,
): Promise<readonly StuckWorkflow[]> {
  const query = `WorkflowId STARTS_WITH '${inHome(home, '')}' AND ExecutionStatus = 'Running'`;
  const found: StuckWorkflow[] = [];
  let looked = 0;
  for await (const { workflowId } of client.workflow.list({ query })) {
    if ((looked += 1) > most) break;
    const workflow = await findWorkflow(client, workflowId);
    if (workflow.kind === 'stuck') found.push(workflow.stuck);
  }
  return found;
}
