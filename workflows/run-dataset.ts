import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import { noCap, type Cap } from '../domain/budget/amount.js';
import { openLedger, spentOf } from '../domain/budget/ledger.js';
import type { QuestionSettings } from '../domain/runs/question-ref.js';
import { runProgress } from '../domain/runs/run-progress.js';
import { emptyRun, recordResumed, recordWaiting, type RunState } from '../domain/runs/run-state.js';
import type { RunTotals } from '../domain/runs/run-totals.js';
import { tuned } from '../domain/runs/tuning.js';
import { heartbeatTimeout } from '../domain/worker-timeouts.js';
import {
  progressQuery,
  questionEndedSignal,
  questionGoesOnSignal,
  questionWaitsSignal,
} from './messages.js';
import { collectEnds, recoverEnds } from './question-ends.js';
import { runQuestions } from './question-window.js';
import { closeLedger, grantLeases, keepBudget, storeBills } from './run-budget.js';
import { RunControl } from './run-control.js';
import { acceptSteering } from './run-steering.js';

const { openRun, closeRun } = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 20_000 },
});

export interface RunDatasetInput extends QuestionSettings {
  /** Questions in flight. */
  readonly concurrency: number;
  /** @defaultValue no cap */
  readonly budget?: Cap;
  /** When questions that have not ended end as `deadline`, in milliseconds since 1970. @defaultValue no deadline */
  readonly deadline?: number;
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
  const control = new RunControl(run, input.state ?? startOf(input), input.concurrency);
  acceptReports(control);
  acceptSteering(control);
  grantLeases(control);

  if (!input.state) {
    const { spent, bills, limits, ...found } = await openRun({ run });
    control.change({ ...found, ledger: openLedger(input.budget ?? noCap, spent, bills) });
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
    await CancellationScope.nonCancellable(() => closeLedger(control));
  }
  if (control.isCancelled) {
    await CancellationScope.nonCancellable(async () => {
      // An update under way may write the manifest, too.
      await condition(allHandlersFinished);
      await closeRun({ run, status: 'cancelled', spent: spentOf(control.state.ledger) });
    });
    await control.cancelled;
  }
  await condition(allHandlersFinished);
  if (control.isUnfinished) {
    return continueAsNew<typeof runDatasetWorkflow>({ ...input, state: control.state });
  }
  control.isClosing = true;
  const { totals } = await CancellationScope.nonCancellable(() =>
    closeRun({ run, spent: spentOf(control.state.ledger) }),
  );
  control.change({ totals });
  return totals;
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
