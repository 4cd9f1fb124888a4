import {
  ActivityFailure,
  condition,
  isCancellation,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import { isZero, noAmount } from '../domain/budget/amount.js';
import {
  affordable,
  expireLeases,
  grantLease,
  heldOf,
  needsRecount,
  leaseSummary,
  recordRecount,
} from '../domain/budget/ledger.js';
import { recordResumed, type WaitingQuestion } from '../domain/runs/run-state.js';
import { heartbeatTimeout } from '../domain/worker-timeouts.js';
import { leaseQuery, wakeQuestionSignal, requestLeaseSignal } from './messages.js';
import { signalQuestion } from './question-signals.js';
import type { RunControl } from './run-control.js';

const { countSpent, keepBills } = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 100 },
});

/** Grants leases of the run's budget to workers. */
export function grantLeases(control: RunControl): void {
  // Nothing is granted before what was spent is known: the questions of a terminated run may ask earlier.
  setHandler(requestLeaseSignal, async (request) => {
    await control.untilOpened();
    control.change({ ledger: grantLease(control.state.ledger, request, Date.now()).ledger });
  });
  setHandler(leaseQuery, (lease) =>
    control.isOpened ? leaseSummary(control.state.ledger, lease) : null,
  );
}

/** Takes back all leases at a run's end. No call is in flight, and some workers have not reported yet what they spent. */
export async function closeLedger(control: RunControl): Promise<void> {
  if (isZero(heldOf(control.state.ledger))) return;
  const spent = await countSpent({ run: control.run });
  control.change({ ledger: recordRecount(expireLeases(control.state.ledger, Infinity), spent) });
}

/** Keeps what models bill in the files of the run, for a later workflow of it. Ends with the history. */
export async function storeBills(control: RunControl): Promise<void> {
  for (let { bills } = control.state.ledger; ;) {
    await condition(() => control.isOver || control.state.ledger.bills !== bills);
    if (control.isOver) return;
    ({ bills } = control.state.ledger);
    try {
      await keepBills({ run: control.run, bills });
    } catch (error) {
      if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
      // A later workflow can learn them again.
    }
  }
}

/**
 * Takes back the leases of lost workers, and wakes questions that wait for budget once it is free. Ends with the history.
 */
export async function keepBudget(control: RunControl): Promise<void> {
  for (;;) {
    const earliest = Math.min(...control.state.ledger.leases.map(({ expiresAt }) => expiresAt));
    const isDue = (): boolean =>
      control.isOver || needsRecount(control.state.ledger) || affordableQuestions().length > 0;
    if (earliest === Infinity)
      await condition(() => isDue() || control.state.ledger.leases.length > 0);
    else await condition(isDue, Math.max(1, earliest - Date.now()));
    if (control.isOver) return;
    control.change({ ledger: expireLeases(control.state.ledger, Date.now()) });
    if (needsRecount(control.state.ledger)) {
      const { settled } = control.state.ledger;
      const spent = await countSpent({ run: control.run });
      // A lease that was settled meanwhile may be counted in part: then the replies are counted again.
      if (control.state.ledger.settled === settled) {
        control.change({ ledger: recordRecount(control.state.ledger, spent) });
      }
    }
    const questions = affordableQuestions();
    control.change(recordResumed(control.state, questions));
    await Promise.all(questions.map((key) => signalQuestion(control.run, key, wakeQuestionSignal)));
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
