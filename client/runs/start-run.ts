import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  WithStartWorkflowOperation,
  WorkflowUpdateFailedError,
  type WorkflowHandle,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { methodOf } from '../../domain/agent/methods.js';
import { needsContext, turnLimit } from '../../domain/agent/turn-plan.js';
import { preview } from '../../domain/formats/text.js';
import { runWorkflowId } from '../../domain/ids.js';
import { defaultHoldAfter } from '../../domain/runs/run-state.js';
import { batchPauseOf, questionWindow } from '../../domain/runs/run-config.js';
import type { RunManifest } from '../../domain/runs/run-manifest.js';
import type { RunSummary } from '../../domain/runs/run-progress.js';
import { runTaskTimeout } from '../../domain/worker-timeouts.js';
import {
  retryQuestionsUpdate,
  runIsEnding,
  searchAttribute,
  workflowNames,
  type Retrying,
} from '../../workflows/messages.js';
import type { runDatasetWorkflow } from '../../workflows/run-dataset.js';
import { provideSearchAttributes } from '../../temporal/namespace.js';
import { isInvalidArgument } from '../../temporal/explain-failure.js';
import type { HomeClient } from '../services/home-client.js';

export type RunHandle = WorkflowHandle<typeof runDatasetWorkflow>;

/** Starts a run's workflow, or finds it where it is open already: two terminals may start the same run at once. */
export const startRun = (client: HomeClient, manifest: RunManifest): Promise<RunHandle> =>
  withSearchAttributes(client, async () => {
    const options = startOptions(manifest, client);
    await client.workflow.start<typeof runDatasetWorkflow>(workflowNames.runDataset, options);
    // Not the handle of this execution: the run may be started again from its files.
    return client.workflow.getHandle<typeof runDatasetWorkflow>(options.workflowId);
  });

/** A server lists new attributes at once, and takes them for a workflow when it has read the namespace anew. */
const knownWithinMs = 30_000;

/** Starts a workflow in a namespace in which no worker may have begun yet, so that nobody has created the attributes. */
async function withSearchAttributes<T>(client: HomeClient, start: () => Promise<T>): Promise<T> {
  const until = performance.now() + knownWithinMs;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (!isInvalidArgument(error) || performance.now() > until) throw error;
      await provideSearchAttributes(client.connection, client.options.namespace);
      await sleep(500);
    }
  }
}

/** A run whose questions have all ended takes a moment to write its last figures. */
const endingMs = 30_000;

/** Asks questions again that have ended, in a run that is open or is opened for it. One that is just ending is let end. */
export async function retryInRun(
  client: HomeClient,
  manifest: RunManifest,
  retrying: Retrying,
): Promise<RunSummary> {
  const until = performance.now() + endingMs;
  for (;;) {
    try {
      return await withSearchAttributes(client, () =>
        client.workflow.executeUpdateWithStart(retryQuestionsUpdate, {
          args: [retrying],
          startWorkflowOperation: new WithStartWorkflowOperation<typeof runDatasetWorkflow>(
            workflowNames.runDataset,
            startOptions(manifest, client),
          ),
        }),
      );
    } catch (error) {
      if (!isEnding(error) || performance.now() > until) throw error;
      await sleep(500);
    }
  }
}

const isEnding = (error: unknown): boolean =>
  error instanceof WorkflowUpdateFailedError &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === runIsEnding;

function startOptions(
  { run, config, dataset, store }: RunManifest,
  { home, queue }: HomeClient,
): WorkflowStartOptions<typeof runDatasetWorkflow> & {
  readonly workflowIdConflictPolicy: 'USE_EXISTING';
} {
  const method = methodOf(config);
  const batchPauseMs = batchPauseOf(config);
  return {
    workflowId: runWorkflowId(home, run),
    taskQueue: queue,
    workflowTaskTimeout: runTaskTimeout,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: preview(
      `${dataset.items} × ${config.epochs} questions of ${basename(dataset.path)}${store === null ? '' : ` over store ${store.name}`}`,
      100,
    ),
    typedSearchAttributes: [
      searchAttribute('run', run),
      searchAttribute('state', 'run'),
      searchAttribute('model', config.model.name),
      searchAttribute('method', config.method),
      ...(store === null ? [] : [searchAttribute('store', store.name)]),
    ],
    args: [
      {
        run,
        concurrency: questionWindow(config.concurrency),
        budget: config.budget,
        ...(config.deadline !== null && { deadline: Date.parse(config.deadline) }),
        onFailure: config.onFailure,
        ...(config.holdAfter !== defaultHoldAfter && { holdAfter: config.holdAfter }),
        ...(config.questionTimeLimitMs !== null && { timeLimitMs: config.questionTimeLimitMs }),
        ...(config.judging && { judges: config.judging.models.length }),
        ...(batchPauseMs !== null && { batchPauseMs }),
        maxTurns: turnLimit(method, config.maxTurns),
        needsContext: needsContext(method),
        modelTimeoutMs: config.model.timeoutMs,
        modelAttempts: config.modelAttempts,
        model: config.model.name,
        method: config.method,
        ...(store && { store: store.name }),
      },
    ],
  };
}
