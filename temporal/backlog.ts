import type { ConnectionLike } from '@temporalio/client';
import { sum } from '../domain/statistics/means.js';

/** TASK_QUEUE_TYPE_WORKFLOW and TASK_QUEUE_TYPE_ACTIVITY in Temporal's API. */
const kinds: readonly Readonly<Record<string, number>>[] = [
  { taskQueueType: 1 },
  { taskQueueType: 2 },
];

/** How many tasks of these task queues wait for a worker, as far as the server knows. */
export async function backlogOf(
  { workflowService }: Pick<ConnectionLike, 'workflowService'>,
  namespace: string,
  queues: readonly string[],
): Promise<number> {
  const counts = queues.flatMap((name) =>
    kinds.map(async (kind) => {
      const asked = { namespace, taskQueue: { name }, reportStats: true, ...kind };
      const { stats } = await workflowService.describeTaskQueue(asked);
      return Number(stats?.approximateBacklogCount ?? 0);
    }),
  );
  return sum(await Promise.all(counts));
}
