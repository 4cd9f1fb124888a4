import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { emptyActivity as EmptyActivity } from './worker.js';

interface Activities {
  readonly emptyActivity: typeof EmptyActivity;
}

const queued = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  retry: { maximumAttempts: 3 },
});
const local = proxyLocalActivities<Activities>({ startToCloseTimeout: '5 seconds' });

/** Two empty activities a turn, of the same kinds as turnwise's: one of the queue for the model call, a local one for the action. */
export async function bareQuestionWorkflow({
  turns,
  latencyMs,
}: {
  readonly turns: number;
  /** The duration of the first activity of each turn. */
  readonly latencyMs: number;
}): Promise<void> {
  for (let turn = 1; turn <= turns; turn += 1) {
    await queued.emptyActivity(latencyMs);
    await local.emptyActivity(0);
  }
}
