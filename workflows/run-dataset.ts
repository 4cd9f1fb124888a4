import {
  ActivityFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  setHandler,
} from '@temporalio/workflow';
import { isZero, noAmount, noCap, type Cap } from '../domain/budget/amount.js';
import {
  affordable,
  expireLeases,
  heldOf,
  openLedger,
  recordRecount,
  spentOf,
} from '../domain/budget/ledger.js';
import type { QuestionSettings } from '../domain/runs/question-ref.js';
import { runProgress } from '../domain/runs/run-progress.js';
import {
  emptyRun,
  recordResumed,
  recordWaiting,
  type RunState,
  type WaitingQuestion,
} from '../domain/runs/run-state.js';
import type { RunTotals } from '../domain/runs/run-totals.js';
import { tuned } from '../domain/runs/run-config.js';
import { grantLeases, takeBackLeases, untilDue } from './ledger-keeper.js';
import {
  progressQuery,
  questionEndedSignal,
  questionGoesOnSignal,
  questionWaitsSignal,
  wakeQuestionSignal,
} from './messages.js';
import { endBatches, keepBatches } from './run-batches.js';
import { RunControl } from './run-control.js';
import { collectEnds, recoverEnds, runQuestions } from './run-questions.js';
import { tell, tellStates } from './run-notices.js';
import { acceptSteering } from './run-steering.js';
import { forAnHour, forAWeek, queued } from './scheduling.js';

const { openRun, closeRun } = queued('5 minutes', forAWeek);
const { countSpent, keepBills } = queued('5 minutes', forAnHour);

export interface RunDatasetInput extends QuestionSettings {
  /** Questions in flight. */
  readonly concurrency: number;
  /** @defaultValue no cap */
  readonly budget?: Cap;
  /** When questions that have not ended end as `deadline`, in milliseconds since 1970. @defaultValue no deadline */
  readonly deadline?: number;
  /** How long a batch of calls is waited with. Absent for a run that sends its calls at once. */
  readonly batchPauseMs?: number;
  /** Equal failures in a row, or questions waiting in an outage, that hold the run. @defaultValue defaultHoldAfter */
  readonly holdAfter?: number;
  /** Carried from the run's earlier history; absent at the run's start. */
  readonly state?: RunState;
}

/**
 * Runs all questions of a run through a sliding window of workflows, each of which reports its end by a signal. A cancelled
 * run cancels the questions in flight, and closes when each of them has ended.
 */
export async function runDatasetWorkflow(input: RunDatasetInput): Promise<RunTotals> {
  const { run } = input;
  const control = new RunControl(run, input.state ?? startOf(input), input.concurrency, () =>
    countSpent({ run }),
  );
  acceptReports(control);
  acceptSteering(control);
  grantLeases(control);

  if (!input.state) {
    const { spent, bills, limits, batched, hasWebhook, ...found } = await openRun({ run });
    if (hasWebhook) control.change({ told: null });
    const ledger = openLedger(input.budget ?? noCap, spent, bills);
    control.change({ ...found, ledger: { ...ledger, ...(batched && { batched }) } });
    // They may have been tuned since the run began.
    control.change(tuned(control.state, { ...limits }));
  }
  control.isOpened = true;
  await CancellationScope.nonCancellable(() =>
    Promise.all([
      runQuestions(control, input),
      collectEnds(control),
      recoverEnds(control),
      watchDeadline(control),
      keepBudget(control),
      storeBills(control),
      input.batchPauseMs !== undefined && keepBatches(control, input.batchPauseMs),
      tellStates(control),
    ]),
  );
  return finish(control, input);
}

const startOf = ({ deadline, holdAfter }: RunDatasetInput): RunState => ({
  ...emptyRun,
  ...(deadline !== undefined && { deadline }),
  ...(holdAfter !== undefined && { holdAfter }),
});

async function finish(control: RunControl, input: RunDatasetInput): Promise<RunTotals> {
  const { run } = control;
  if (control.isCancelled || !control.isUnfinished) {
    await CancellationScope.nonCancellable(async () => {
      await endBatches(control, input.batchPauseMs ?? 0);
      await closeLedger(control);
    });
  }
  if (control.isCancelled) {
    await CancellationScope.nonCancellable(async () => {
      // An update under way may write the manifest, too.
      await condition(allHandlersFinished);
      await closeRun({ run, status: 'cancelled', spent: spentOf(control.ledger) });
      await tell(control, 'ended', 'cancelled');
    });
    await control.cancelled;
  }
  await condition(allHandlersFinished);
  if (control.isUnfinished) {
    return continueAsNew<typeof runDatasetWorkflow>({ ...input, state: control.state });
  }
  control.isClosing = true;
  return CancellationScope.nonCancellable(async () => {
    const { totals } = await closeRun({ run, spent: spentOf(control.ledger) });
    control.change({ totals });
    await tell(control, 'ended', 'done');
    return totals;
  });
}

/** Takes what questions report, and answers queries. */
function acceptReports(control: RunControl): void {
  setHandler(questionEndedSignal, (report) => control.recordReport(report));
  setHandler(questionWaitsSignal, (question) =>
    control.change(recordWaiting(control.state, question)),
  );
  setHandler(questionGoesOnSignal, (key) => control.change(recordResumed(control.state, [key])));
  setHandler(progressQuery, () => runProgress(control.state, control.concurrency));
}

/** Ends the run at its deadline, which may be moved meanwhile. */
async function watchDeadline(control: RunControl): Promise<void> {
  for (;;) {
    const { deadline } = control.state;
    const isMoved = (): boolean => control.isOver || control.state.deadline !== deadline;
    if (deadline === null) await condition(isMoved);
    else if (!(await condition(isMoved, Math.max(1, deadline - Date.now())))) {
      control.change({ stopping: { kind: 'deadline' } });
      return;
    }
    if (control.isOver) return;
  }
}

/** Takes back all leases at a run's end. No call is in flight, and some workers have not reported yet what they spent. */
async function closeLedger(control: RunControl): Promise<void> {
  if (isZero(heldOf(control.ledger))) return;
  const spent = await control.countSpent();
  control.change({ ledger: recordRecount(expireLeases(control.ledger, Infinity), spent) });
}

/** Keeps what models bill in the files of the run, for a later workflow of it. Ends with the history. */
async function storeBills(control: RunControl): Promise<void> {
  for (let { bills } = control.ledger; ;) {
    await condition(() => control.isOver || control.ledger.bills !== bills);
    if (control.isOver) return;
    ({ bills } = control.ledger);
    try {
      await keepBills({ run: control.run, bills });
    } catch (error) {
      if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
      // A later workflow can learn them again.
    }
  }
}

/** Wakes questions that wait for budget once it is free. Ends with the history. */
async function keepBudget(control: RunControl): Promise<void> {
  for (;;) {
    await untilDue(control, () => control.isOver || affordableQuestions().length > 0);
    if (control.isOver) return;
    await takeBackLeases(control);
    const questions = affordableQuestions();
    control.change(recordResumed(control.state, questions));
    await Promise.all(questions.map((key) => control.signal(key, wakeQuestionSignal)));
  }

  function affordableQuestions(): readonly WaitingQuestion[] {
    const { waiting, ledger, paused } = control.state;
    const waitingForBudget = waiting.filter(({ reason }) => reason === 'budget');
    if (paused || waitingForBudget.length === 0) return [];
    return waitingForBudget.slice(
      0,
      affordable(
        ledger,
        waitingForBudget.map(({ need }) => need ?? noAmount),
      ),
    );
  }
}
