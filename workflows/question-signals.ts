import {
  getExternalWorkflowHandle,
  isCancellation,
  log,
  type SignalDefinition,
} from '@temporalio/workflow';
import { questionWorkflowId, runWorkflowId, type RunId, type SampleKey } from '../domain/ids.js';
import { homeHere } from './naming.js';

/** From a question to its run. False where that is gone: it reads what is stored when it starts again. */
export async function signalRun<Message>(
  run: RunId,
  signal: SignalDefinition<[Message]>,
  message: Message,
): Promise<boolean> {
  try {
    await getExternalWorkflowHandle(runWorkflowId(homeHere(), run)).signal(signal, message);
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.info('the run is gone and cannot be signalled', { run });
    return false;
  }
}

/** From a run to an open question. False where the question has closed. */
export async function signalQuestion<Args extends unknown[]>(
  run: RunId,
  key: SampleKey,
  signal: SignalDefinition<Args>,
  ...args: Args
): Promise<boolean> {
  try {
    await getExternalWorkflowHandle(questionWorkflowId(homeHere(), run, key)).signal(
      signal,
      ...args,
    );
    return true;
  } catch {
    log.info('the question has closed already', { uuid: key.uuid, epoch: key.epoch });
    return false;
  }
}

/** Asks an open question to end as cancelled. */
export async function cancelQuestion(run: RunId, key: SampleKey): Promise<void> {
  try {
    await getExternalWorkflowHandle(questionWorkflowId(homeHere(), run, key)).cancel();
  } catch {
    log.info('the question has closed already', { uuid: key.uuid, epoch: key.epoch });
  }
}
