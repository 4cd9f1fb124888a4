import {
  getExternalWorkflowHandle,
  isCancellation,
  log,
  workflowInfo,
  type SignalDefinition,
} from '@temporalio/workflow';

/** Tells a question's run something. A run that is gone needs no news: it finds what is stored when it starts again. */
export async function signalRun<Message>(
  signal: SignalDefinition<[Message]>,
  message: Message,
): Promise<void> {
  const { parent } = workflowInfo();
  if (!parent) return;
  try {
    // By workflow id alone, so that it reaches the newest run after continue-as-new.
    await getExternalWorkflowHandle(parent.workflowId).signal(signal, message);
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.info('the run is no longer there to be told', { parent: parent.workflowId });
  }
}
