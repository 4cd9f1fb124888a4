import { condition, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import type { SampleKey } from '../domain/ids.js';
import type { QuestionRef } from '../domain/runs/question-ref.js';
import { includesSample, recordCollected } from '../domain/runs/run-state.js';
import type { EndedQuestion } from '../domain/runs/run-totals.js';
import { heartbeatTimeout } from '../domain/worker-timeouts.js';
import type { RunControl } from './run-control.js';

const { collectResults, endQuestion, findEnded } = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 20_000 },
});

/** Ends that one activity publishes. */
const pageSize = 100;

/** Ends that come closer together are published at once: each activity costs the run's history six events. */
const publishEveryMs = 1_000;

/** How often questions in flight are checked for an end that was not reported. */
const checkEvery = '30 seconds';

/** Publishes the results of questions that have ended, in pages. Ends with the history. */
export async function collectEnds(control: RunControl): Promise<void> {
  const { publishing } = control;
  for (let publishAt = 0; ; publishAt = Date.now() + publishEveryMs) {
    await condition(() => control.state.uncollected.length > 0 || control.isOver);
    const early = publishAt - Date.now();
    if (early > 0) {
      await condition(() => control.state.uncollected.length >= pageSize || control.isOver, early);
    }
    const { inFlight, uncollected } = control.state;
    const isLeftToTheNextHistory = inFlight.length > 0;
    if (control.isOver && (isLeftToTheNextHistory || uncollected.length === 0)) return;
    await publishing.run(() => collect(control, control.state.uncollected.slice(0, pageSize)));
  }
}

/** Publishes the results of these questions, while nobody else publishes. */
export async function collect(control: RunControl, keys: readonly SampleKey[]): Promise<void> {
  if (keys.length === 0) return;
  await collectResults({ run: control.run, keys });
  control.change(recordCollected(control.state, keys));
}

/** Finds the ends of questions that could not report them: a lost question must not stall a run. Ends with the history. */
export async function recoverEnds(control: RunControl): Promise<void> {
  for (;;) {
    const before = control.state.inFlight;
    if (await condition(() => control.isOver, checkEvery)) return;
    await findEnds(control, before);
  }
}

/**
 * Notes the ends of those questions of `keys` that are in flight and closed, and ends those that closed without an end. No
 * question is asked again meanwhile, since its earlier end would then count for the new asking.
 */
function findEnds(control: RunControl, keys: readonly SampleKey[]): Promise<void> {
  return control.publishing.run(async () => {
    const suspects = keys.filter(
      (key) => includesSample(control.state.inFlight, key) && !control.isStarting(key),
    );
    if (suspects.length === 0) return;
    const { found } = await findEnded({ run: control.run, keys: suspects });
    for (const { uuid, epoch, state } of found) {
      const key = { uuid, epoch };
      control.recordEnded(
        key,
        state.kind === 'ended'
          ? state.ended
          : await endLost({ run: control.run, ...key, asking: state.asking }),
      );
    }
  });
}

const endLost = (ref: QuestionRef): Promise<EndedQuestion> =>
  endQuestion({
    ...ref,
    startedAt: new Date().toISOString(),
    outcome: {
      kind: 'infra-error',
      failure: 'Unknown',
      message: 'its workflow was closed before it had ended',
    },
  });
