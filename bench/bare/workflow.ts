import { proxyActivities } from '@temporalio/workflow';
import type { emptyActivity as EmptyActivity } from './activities.js';

const { emptyActivity } = proxyActivities<{ readonly emptyActivity: typeof EmptyActivity }>({
  startToCloseTimeout: '1 minute',
  retry: { maximumAttempts: 3 },
});

/** Two empty activities a turn: where the call of a model and its action would be. */
export async function bareQuestionWorkflow({
  turns,
  latencyMs,
}: {
  readonly turns: number;
  /** Of the first activity of each turn. */
  readonly latencyMs: number;
}): Promise<void> {
  for (let turn = 1; turn <= turns; turn += 1) {
    await emptyActivity(latencyMs);
    await emptyActivity(0);
  }
}
