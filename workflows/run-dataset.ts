import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  log,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import { questionWorkflowId, type SampleKey } from '../domain/ids.js';
import type { Sample } from '../domain/questions/samples.js';
import { runDetails } from '../domain/runs/run-details.js';
import {
  emptyRun,
  includesSample,
  noteCollected,
  noteEnded,
  noteStarted,
  type RunState,
} from '../domain/runs/run-state.js';
import type { EndedQuestion, RunTotals } from '../domain/runs/run-totals.js';
import { progressQuery, questionEndedSignal } from './messages.js';
import { cancelQuestion, startQuestion, type QuestionSettings } from './question-child.js';

const { openRun, listSamples, collectResults, findEnded, closeRun } = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 100 },
});
const { finishQuestion } = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 100 },
});

/** Samples listed, and results collected, by one activity. */
const pageSize = 100;
/** How often questions in flight are looked after. */
const lookAfterEvery = '30 seconds';

export interface RunDatasetInput extends QuestionSettings {
  /** Questions in flight. */
  readonly concurrency: number;
  /** Carried from the run's earlier history; absent at its start. */
  readonly state?: RunState;
}

/**
 * All questions of a run through a sliding window of children, each reporting when it ends. A cancelled run
 * cancels those in flight and closes when each of them has ended.
 */
export async function runDatasetWorkflow(input: RunDatasetInput): Promise<RunTotals> {
  const { run, concurrency } = input;
  let state: RunState = input.state ?? emptyRun;
  const change = (next: RunState): void => {
    state = next;
    setCurrentDetails(runDetails(state));
  };
  const ended = (key: SampleKey, end: EndedQuestion): void => change(noteEnded(state, key, end));
  setHandler(questionEndedSignal, (report) => ended(report, report.ended));
  setHandler(progressQuery, () => ({
    samples: state.samples,
    totals: state.totals,
    inFlight: state.inFlight,
  }));

  const whole = CancellationScope.current();
  const mayStart = (): boolean =>
    !whole.consideredCancelled && !workflowInfo().continueAsNewSuggested;
  /** Workflow ids of questions whose start is not acknowledged: not open yet, and not lost either. */
  const starting = new Set<string>();
  /** Children that closed without a result. */
  let closed: readonly SampleKey[] = [];
  /** Nothing more is to be started, or to be waited for, in this history. */
  let over = false;

  if (!input.state) {
    const opened = await openRun({ run });
    change({ ...state, ...opened });
  }
  await CancellationScope.nonCancellable(() =>
    Promise.all([startAll(), collectAll(), lookAfterAll()]),
  );
  if (whole.consideredCancelled) await whole.cancelRequested;
  if (state.offset < state.samples || state.inFlight.length > 0) {
    await condition(allHandlersFinished);
    return continueAsNew<typeof runDatasetWorkflow>({ ...input, state });
  }
  const { totals } = await CancellationScope.nonCancellable(() => closeRun({ run }));
  change({ ...state, totals });
  return totals;

  /** Keeps the window full until every sample has ended, this history is long enough, or the run is cancelled. */
  async function startAll(): Promise<void> {
    while (state.offset < state.samples && mayStart()) await startPage();
    await condition(() => state.inFlight.length === 0 || !mayStart());
    await condition(() => starting.size === 0);
    if (whole.consideredCancelled) {
      await Promise.all(state.inFlight.map((key) => cancelQuestion(run, key)));
      await condition(() => state.inFlight.length === 0);
    }
    over = true;
  }

  async function startPage(): Promise<void> {
    // A page that an earlier history began is listed again, and some of it is in flight.
    const { offset, inFlight } = state;
    const { samples } = await listSamples({ run, offset, limit: pageSize });
    for (const sample of samples) {
      if (includesSample(inFlight, sample)) continue;
      await condition(() => state.inFlight.length < concurrency || !mayStart());
      if (!mayStart()) return;
      void start(sample);
    }
    change({ ...state, offset: offset + pageSize });
  }

  async function start(sample: Sample): Promise<void> {
    const { uuid, epoch } = sample;
    const workflowId = questionWorkflowId(run, sample);
    starting.add(workflowId);
    // Noted before it is started: its report may arrive before the start is acknowledged.
    change(noteStarted(state, [sample]));
    try {
      const child = await startQuestion(input, sample);
      void watch(sample, child.result());
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      log.info('the question is open already: it will report', { uuid, epoch });
    } finally {
      starting.delete(workflowId);
    }
  }

  async function watch(key: SampleKey, result: Promise<EndedQuestion>): Promise<void> {
    try {
      const end = await result;
      ended(key, end);
    } catch {
      // A cancelled one has reported, a terminated one could not: which it was is told by its stored end.
      closed = [...closed, key];
    }
  }

  async function collectAll(): Promise<void> {
    for (;;) {
      await condition(() => state.uncollected.length > 0 || over);
      const keys = state.uncollected.slice(0, pageSize);
      const isLeftToTheNextHistory = over && state.inFlight.length > 0;
      if (keys.length === 0 || isLeftToTheNextHistory) return;
      await collectResults({ run, keys });
      change(noteCollected(state, keys));
    }
  }

  /** Finds the ends of those that could not report them: a lost question must not stall a run. */
  async function lookAfterAll(): Promise<void> {
    for (;;) {
      const before = state.inFlight;
      await condition(() => closed.length > 0 || over, lookAfterEvery);
      if (over) return;
      const suspects = closed.length > 0 ? closed : before;
      closed = [];
      await lookAfter(
        suspects.filter(
          (key) =>
            includesSample(state.inFlight, key) && !starting.has(questionWorkflowId(run, key)),
        ),
      );
    }
  }

  async function lookAfter(keys: readonly SampleKey[]): Promise<void> {
    if (keys.length === 0) return;
    const { found } = await findEnded({ run, keys });
    for (const { uuid, epoch, state: question } of found) {
      const key = { uuid, epoch };
      const end = question.kind === 'ended' ? question.ended : await endLost(key);
      ended(key, end);
    }
  }

  function endLost(key: SampleKey): Promise<EndedQuestion> {
    return finishQuestion({
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
}
