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
import type { OpenedRun } from '../activities/runs/open-run.js';
import type { Outcome } from '../domain/agent/question-result.js';
import { noCap, type Cap } from '../domain/budget/amount.js';
import { openLedger } from '../domain/budget/ledger.js';
import { questionWorkflowId, type SampleKey } from '../domain/ids.js';
import type { Sample } from '../domain/runs/dataset.js';
import { runProgress, runSummary } from '../domain/runs/run-progress.js';
import {
  emptyRun,
  heldBy,
  includesSample,
  recordCollected,
  recordEnded,
  recordResumed,
  recordStarted,
  recordWaiting,
  type RunState,
} from '../domain/runs/run-state.js';
import type { EndedQuestion, RunTotals } from '../domain/runs/run-totals.js';
import { runDetails } from '../domain/runs/workflow-details.js';
import { heartbeatTimeout } from '../domain/worker-timeouts.js';
import type { LiveRun } from './live-run.js';
import {
  progressQuery,
  questionEndedSignal,
  questionGoesOnSignal,
  questionWaitsSignal,
  reportEndSignal,
  resumeQuestionSignal,
  stopQuestionSignal,
} from './messages.js';
import { OneAtATime } from './one-at-a-time.js';
import {
  cancelQuestion,
  lookAfter,
  signalQuestion,
  startQuestion,
  type QuestionSettings,
} from './question-child.js';
import { closeLedger, grantLeases, keepBudget, watchDeadline } from './run-budget.js';
import { letSteer } from './run-steering.js';

const { openRun, listSamples, findSamples, collectResults, endUnstarted, closeRun } =
  proxyActivities<Activities>({
    startToCloseTimeout: '5 minutes',
    heartbeatTimeout,
    retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 100 },
  });

/** Samples listed, and results collected, by one activity. */
const pageSize = 100;
/** How often questions in flight are looked after. */
const lookAfterEvery = '30 seconds';

export interface RunDatasetInput extends QuestionSettings {
  /** Questions in flight. */
  readonly concurrency: number;
  /** Absent where there is none. */
  readonly budget?: Cap;
  /** When whatever is left ends, in milliseconds since 1970. Absent where there is no deadline. */
  readonly deadline?: number;
  /** Carried from the run's earlier history; absent at its start. */
  readonly state?: RunState;
}

/**
 * All questions of a run through a sliding window of children, each reporting when it ends: by its result, or by a signal to
 * a later history than the one that started it. A cancelled run cancels those in flight and closes when each of them has ended.
 */
export async function runDatasetWorkflow(input: RunDatasetInput): Promise<RunTotals> {
  const { run } = input;
  let state: RunState = input.state ?? { ...emptyRun, deadline: input.deadline ?? null };
  const change = (next: RunState): void => {
    state = next;
    setCurrentDetails(runDetails(state));
  };
  const concurrency = (): number => state.concurrency ?? input.concurrency;
  const ended = (key: SampleKey, end: EndedQuestion): void => change(recordEnded(state, key, end));
  setHandler(questionEndedSignal, (report) => ended(report, report.ended));
  setHandler(questionWaitsSignal, (question) => change(recordWaiting(state, question)));
  setHandler(questionGoesOnSignal, (key) => change(recordResumed(state, [key])));
  setHandler(progressQuery, () => runProgress(state, concurrency()));

  const whole = CancellationScope.current();
  /** This history takes no new work: the next one does, or none. */
  const isLeaving = (): boolean =>
    whole.consideredCancelled || workflowInfo().continueAsNewSuggested;
  const isStopping = (): boolean => isLeaving() || state.stopping !== null;
  const hasRoom = (): boolean => state.inFlight.length < concurrency() && heldBy(state) === null;
  /** Workflow ids of questions whose start is not acknowledged: not open yet, and not lost either. */
  const starting = new Set<string>();
  /** Workflow ids of questions that must not be started from a page that was listed before. */
  const barred = new Set<string>();
  const publishing = new OneAtATime();
  /** Children that closed without a result. */
  let closed: readonly SampleKey[] = [];
  /** Nothing more is to be started, or to be waited for, in this history. */
  let over = false;
  /** All has ended, and its last figures are being written. */
  let closing = false;
  /** Whether the run's files have been looked at, so that it can be steered. */
  let opened = input.state !== undefined;

  const live: LiveRun = {
    run,
    state: () => state,
    change,
    isOver: () => over,
    isEnding: () => closing || state.stopping !== null || whole.consideredCancelled,
    summary: () => runSummary(state, concurrency()),
    isOpened: () => opened,
    untilOpened: () => condition(() => opened),
    untilStarted: () => condition(() => starting.size === 0),
    bar: (key) => barred.size < barred.add(questionWorkflowId(run, key)).size,
    unbar: (key) => void barred.delete(questionWorkflowId(run, key)),
    publishing,
  };
  letSteer(live);
  grantLeases(live);

  if (!input.state) {
    const { spent, ...found }: OpenedRun = await openRun({ run });
    const ledger = openLedger(input.budget ?? noCap, spent);
    change({ ...state, ...found, ledger });
    opened = true;
  }
  await CancellationScope.nonCancellable(() =>
    Promise.all([startAll(), collectAll(), lookAfterAll(), watchDeadline(live), keepBudget(live)]),
  );
  if (whole.consideredCancelled || !isUnfinished()) {
    await CancellationScope.nonCancellable(() => closeLedger(live));
  }
  if (whole.consideredCancelled) {
    await CancellationScope.nonCancellable(() => closeRun({ run, status: 'cancelled' }));
    await whole.cancelRequested;
  }
  if (isUnfinished()) await askForReports();
  await condition(allHandlersFinished);
  if (isUnfinished()) return continueAsNew<typeof runDatasetWorkflow>({ ...input, state });
  closing = true;
  const { totals } = await CancellationScope.nonCancellable(() => closeRun({ run }));
  change({ ...state, totals });
  return totals;

  function isUnfinished(): boolean {
    const { offset, samples, inFlight, reopened, stopping } = state;
    return inFlight.length > 0 || (stopping === null && (offset < samples || reopened.length > 0));
  }

  /** Keeps the window full until every sample has ended, this history is long enough, or the run is to end. */
  async function startAll(): Promise<void> {
    do {
      while (state.offset < state.samples && !isStopping()) await startPage();
      if (state.reopened.length > 0 && !isStopping()) await startReopened();
      await condition(
        () => state.inFlight.length === 0 || state.reopened.length > 0 || isStopping(),
      );
    } while (state.reopened.length > 0 && !isStopping());
    await condition(() => starting.size === 0);
    if (whole.consideredCancelled) {
      await Promise.all(state.inFlight.map((key) => cancelQuestion(run, key)));
      await condition(() => state.inFlight.length === 0);
    } else if (state.stopping !== null) {
      await stopAll(state.stopping);
    }
    over = true;
  }

  async function startPage(): Promise<void> {
    // A page that an earlier history began is listed again, and some of it is in flight.
    const { offset, inFlight } = state;
    const { samples } = await listSamples({ run, offset, limit: pageSize });
    const rest = samples.filter((sample) => !includesSample(inFlight, sample));
    if (await startEach(rest)) change({ ...state, offset: offset + pageSize });
  }

  async function startReopened(): Promise<void> {
    const keys = state.reopened.slice(0, pageSize);
    const { samples } = await findSamples({ run, keys });
    await startEach(samples);
  }

  /** False where this history, or the run, is over before all of them are started. */
  async function startEach(samples: readonly Sample[]): Promise<boolean> {
    for (const sample of samples) {
      await condition(() => hasRoom() || isStopping());
      if (isStopping()) return false;
      if (!barred.has(questionWorkflowId(run, sample))) void start(sample);
    }
    return true;
  }

  async function start(sample: Sample): Promise<void> {
    const { uuid, epoch } = sample;
    const workflowId = questionWorkflowId(run, sample);
    starting.add(workflowId);
    // Noted before it is started: its report may arrive before the start is acknowledged.
    change(recordStarted(state, [sample]));
    try {
      const child = await startQuestion(input, sample);
      void watch(sample, child.result());
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      log.info('the question is open already: it will report', { uuid, epoch });
      await signalQuestion(run, sample, reportEndSignal);
      // It may wait for what this run will never tell it, since that was said to an earlier one.
      await signalQuestion(run, sample, resumeQuestionSignal);
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

  /** Ends those in flight, and whatever was never started. */
  async function stopAll(outcome: Outcome): Promise<void> {
    await Promise.all(
      state.inFlight.map((key) => signalQuestion(run, key, stopQuestionSignal, outcome)),
    );
    await condition(() => state.inFlight.length === 0);
    await endUnstarted({ run, outcome });
  }

  async function collectAll(): Promise<void> {
    for (;;) {
      await condition(() => state.uncollected.length > 0 || over);
      const keys = state.uncollected.slice(0, pageSize);
      const isLeftToTheNextHistory = over && state.inFlight.length > 0;
      if (keys.length === 0 || isLeftToTheNextHistory) return;
      await publishing.do(async () => {
        await collectResults({ run, keys });
        change(recordCollected(state, keys));
      });
    }
  }

  /** The results of children reach the history that started them, and none after it. */
  async function askForReports(): Promise<void> {
    const asked = state.inFlight;
    const heard = await Promise.all(asked.map((key) => signalQuestion(run, key, reportEndSignal)));
    await lookAfter(
      run,
      asked.filter((key, index) => !heard[index] && includesSample(state.inFlight, key)),
      ended,
    );
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
        run,
        suspects.filter(
          (key) =>
            includesSample(state.inFlight, key) && !starting.has(questionWorkflowId(run, key)),
        ),
        ended,
      );
    }
  }
}
