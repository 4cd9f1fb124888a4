import { proxyActivities } from '@temporalio/workflow';
import type { emptyActivity as EmptyActivity } from './activities.js';

const { emptyActivity } = proxyActivities<{ readonly emptyActivity: typeof EmptyActivity }>({
  startToCloseTimeout: '1 minute',
  retry: { maximumAttempts: 3 },
});

/** Two empty activities a turn, in place of the model call and the action. */
export async function bareQuestionWorkflow({
  turns,
  latencyMs,
}: {
  readonly turns: number;
  /** The duration of the first activity of each turn. */
  readonly latencyMs: number;
}): Promise<void> {
  for (let turn = 1; turn <= turns; turn += 1) {
    await emptyActivity(latencyMs);
    await emptyActivity(0);
  }
}
