import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import type { RunId, SampleKey } from '../domain/ids.js';
import { heartbeatTimeout } from '../domain/lost-worker.js';
import type { EndedQuestion } from '../domain/runs/run-totals.js';

const { findEnded } = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 100 },
});
const { endQuestion } = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 100 },
});

/** Finds the ends of those questions of `keys` that closed, and ends those that closed without one. */
export async function lookAfter(
  run: RunId,
  keys: readonly SampleKey[],
  ended: (key: SampleKey, end: EndedQuestion) => void,
): Promise<void> {
  if (keys.length === 0) return;
  const { found } = await findEnded({ run, keys });
  for (const { uuid, epoch, state: question } of found) {
    const key = { uuid, epoch };
    const end = question.kind === 'ended' ? question.ended : await endLost(run, key);
    ended(key, end);
  }
}

function endLost(run: RunId, key: SampleKey): Promise<EndedQuestion> {
  return endQuestion({
    run,
    ...key,
    startedAt: new Date().toISOString(),
    outcome: {
      kind: 'infra-error',
      failure: 'Unknown',
      message: 'its workflow was closed before it had ended',
    },
  });
}
