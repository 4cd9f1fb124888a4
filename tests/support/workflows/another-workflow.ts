import { sleep } from '@temporalio/workflow';

/** Under a run's name, and does nothing that a run does. */
export async function runDatasetWorkflow(): Promise<void> {
  await sleep('1 hour');
}
