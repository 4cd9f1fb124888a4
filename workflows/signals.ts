import {
  getExternalWorkflowHandle,
  isCancellation,
  log,
  workflowInfo,
  type SignalDefinition,
} from '@temporalio/workflow';
import { homeOf, type HomeId } from '../domain/home.js';

/** The home of the workflow that asks. */
export const homeHere = (): HomeId => homeOf(workflowInfo().workflowId);

/** To the open run of a workflow. False where there is none. */
export const signalWorkflow = <Args extends unknown[]>(
  workflowId: string,
  signal: SignalDefinition<Args>,
  ...args: Args
): Promise<boolean> =>
  isReached(workflowId, () => getExternalWorkflowHandle(workflowId).signal(signal, ...args));

/** Asks a workflow to end as cancelled. False where it has closed. */
export const cancelWorkflow = (workflowId: string): Promise<boolean> =>
  isReached(workflowId, () => getExternalWorkflowHandle(workflowId).cancel());

async function isReached(workflowId: string, reach: () => Promise<void>): Promise<boolean> {
  try {
    await reach();
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.info('a workflow has closed already and cannot be reached', { workflowId });
    return false;
  }
}
