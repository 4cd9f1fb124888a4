import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { ApplicationFailure, rootCause } from '@temporalio/common';
import { isFailureType, type FailureType } from '../../domain/failure-type.js';
import { ingestionWorkflowId, type StoreName } from '../../domain/ids.js';
import { exitStatus, UserError } from '../../domain/user-error.js';
import { workflowNames } from '../../workflows/messages.js';
import type { HomeClient } from '../services/home-client.js';
import { restartIfStuck, resultOf } from './restarted.js';

interface Turn<Result> {
  /** Executes a workflow with these options. */
  readonly execute: (options: {
    readonly workflowId: string;
    readonly taskQueue: string;
  }) => Promise<Result>;
  /** The message if the workflow fails. */
  readonly failure: (reason: string) => string;
  /** The messages of failures after which the same command would fail again. */
  readonly badInput?: Readonly<Partial<Record<FailureType, (reason: string) => string>>>;
  /** Throws UserError where the workflow that is under way must not be waited for. @param work - in words */
  readonly mayWait?: (workflow: string, work: string) => void;
}

/** What works on a store as a whole, by the name of its workflow. */
const works: Readonly<Record<string, string>> = {
  [workflowNames.ingestPapers]: 'an ingestion into',
  [workflowNames.importPapers]: 'an import into',
  [workflowNames.importDatabase]: 'an import into',
  [workflowNames.checkStore]: 'a check of',
  [workflowNames.dropStore]: 'the removal of',
  [workflowNames.enrichPapers]: 'an enrichment of',
};

/** Executes a workflow that builds, checks or removes a store: one at a time, after another one that is under way. */
export async function inTurn<Result>(
  client: HomeClient,
  store: StoreName,
  turn: Turn<Result>,
): Promise<Result> {
  const workflowId = ingestionWorkflowId(client.home, store);
  try {
    return await turn.execute({ workflowId, taskQueue: client.queue });
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) {
      await restartIfStuck(client, workflowId);
      await untilEnded(client, store, turn.mayWait);
      return inTurn(client, store, turn);
    }
    if (error instanceof WorkflowFailedError) {
      const reason = rootCause(error.cause) ?? error.message;
      const type = failureType(error);
      const message = type && turn.badInput?.[type]?.(reason);
      if (message) throw new UserError(message, exitStatus.badInput);
      throw new UserError(turn.failure(reason), exitStatus.serviceUnreachable);
    }
    throw error;
  }
}

/** The type of the failure that ended a workflow. */
function failureType(error: WorkflowFailedError): FailureType | null {
  let cause: unknown = error;
  while (cause instanceof Error && !(cause instanceof ApplicationFailure)) cause = cause.cause;
  return cause instanceof ApplicationFailure && isFailureType(cause.type) ? cause.type : null;
}

async function untilEnded(
  client: HomeClient,
  store: StoreName,
  mayWait: Turn<unknown>['mayWait'] = () => undefined,
): Promise<void> {
  const handle = client.workflow.getHandle(ingestionWorkflowId(client.home, store));
  try {
    const { type } = await handle.describe();
    const work = `${works[type] ?? type} store ${store}`;
    mayWait(type, work);
    console.error(`waiting for ${work} that is under way`);
    await resultOf(handle);
  } catch (error) {
    // It has failed, which its own command says, or the server has forgotten it.
    if (!(error instanceof WorkflowFailedError || error instanceof WorkflowNotFoundError)) {
      throw error;
    }
  }
}
