import { condition, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import type { Outcome } from '../domain/agent/question-result.js';
import type { SampleKey } from '../domain/ids.js';
import type { QuestionRef } from '../domain/runs/question-ref.js';
import { includesSample, recordCollected } from '../domain/runs/run-state.js';
import { heartbeatTimeout } from '../domain/worker-timeouts.js';
import type { RunControl } from './run-control.js';

const { collectResults, endQuestion, findEnded, restartQuestion } = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 20_000 },
});

/** Ends that one activity publishes. */
const pageSize = 100;

/** Ends that come closer together are published at once: each activity costs the run's history six events. */
const publishEveryMs = 1_000;

/** How often questions in flight are checked for an end that was not reported; less and less often while nothing happens. */
const checkEveryMs = 30_000;
const quietCheckMs = 600_000;

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

/**
 * Finds the ends of questions that could not report them, and starts those again that were closed without one: a lost question
 * must not stall a run. Ends with the history.
 */
export async function recoverEnds(control: RunControl): Promise<void> {
  for (let pauseMs = checkEveryMs; ;) {
    const before = control.state.inFlight;
    if (await condition(() => control.isOver, pauseMs)) return;
    const isQuiet = before === control.state.inFlight;
    pauseMs = isQuiet ? Math.min(2 * pauseMs, quietCheckMs) : checkEveryMs;
    await findEnds(control, before);
  }
}

/** Notes the ends of those questions of `keys` that are in flight and closed, and starts the lost ones again. */
async function findEnds(control: RunControl, keys: readonly SampleKey[]): Promise<void> {
  const { run, publishing } = control;
  const suspects = keys.filter((key) => isWaitedFor(control, key));
  if (suspects.length === 0) return;
  const { found } = await findEnded({ run, keys: suspects });
  for (const { state, ...asked } of found) {
    if (state.kind === 'ended') control.recordReport({ ...asked, ended: state.ended });
    // No question is asked again meanwhile: this asking would be started instead of the next one.
    else await publishing.run(() => goOn(control, { run, ...asked }));
  }
}

type AskedRef = QuestionRef & { readonly asking: number };

const isWaitedFor = (control: RunControl, key: SampleKey): boolean =>
  includesSample(control.state.inFlight, key) && !control.isStarting(key);

async function goOn(control: RunControl, ref: AskedRef): Promise<void> {
  if (!isWaitedFor(control, ref) || !control.isAsking(ref, ref.asking)) return;
  const { stopping } = control.state;
  if (stopping !== null || control.isCancelled) {
    return endLost(control, ref, stopping ?? { kind: 'cancelled' });
  }
  const { hindrance: message } = await restartQuestion(ref);
  if (message === null) return;
  await endLost(control, ref, { kind: 'infra-error', failure: 'Unknown', message });
}

async function endLost(control: RunControl, ref: AskedRef, outcome: Outcome): Promise<void> {
  const ended = await endQuestion({ ...ref, startedAt: new Date().toISOString(), outcome });
  control.recordReport({ ...ref, ended });
}
