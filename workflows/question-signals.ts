import {
  getExternalWorkflowHandle,
  isCancellation,
  log,
  workflowInfo,
  type SignalDefinition,
} from '@temporalio/workflow';
import { questionWorkflowId, type RunId, type SampleKey } from '../domain/ids.js';
import { homeHere } from './naming.js';

/** From a question to its run. A run that is gone needs no signal: it reads what is stored when it starts again. */
export async function signalRun<Message>(
  signal: SignalDefinition<[Message]>,
  message: Message,
): Promise<void> {
  const { parent } = workflowInfo();
  if (!parent) return;
  try {
    // By workflow id alone, so that the signal reaches the newest run after continue-as-new.
    await getExternalWorkflowHandle(parent.workflowId).signal(signal, message);
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.info('the run is gone and cannot be signalled', { parent: parent.workflowId });
  }
}

/** From a run to an open question, which may be the child of an earlier history. False where the question has closed. */
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

/** Asks an open question to end as cancelled; it may be the child of an earlier history. */
export async function cancelQuestion(run: RunId, key: SampleKey): Promise<void> {
  try {
    await getExternalWorkflowHandle(questionWorkflowId(homeHere(), run, key)).cancel();
  } catch {
    log.info('the question has closed already', { uuid: key.uuid, epoch: key.epoch });
  }
}
