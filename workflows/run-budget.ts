import { condition, proxyActivities, setHandler } from '@temporalio/workflow';
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
import type { LiveRun } from './live-run.js';
import { leaseQuery, lookAgainSignal, requestLeaseSignal } from './messages.js';
import { signalQuestion } from './question-child.js';

const { countSpent } = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 100 },
});

/** Grants leases of the run's budget to workers. */
export function grantLeases({ state, change, isOpened, untilOpened }: LiveRun): void {
  // Before it is known what was spent, nothing is granted: questions of a run that was terminated may ask.
  setHandler(requestLeaseSignal, async (request) => {
    await untilOpened();
    change({ ...state(), ledger: grantLease(state().ledger, request, Date.now()).ledger });
  });
  setHandler(leaseQuery, (lease) => (isOpened() ? leaseSummary(state().ledger, lease) : null));
}

/** Takes back all leases at a run's end: nothing is under way, and some workers have not said yet what they spent. */
export async function closeLedger({ run, state, change }: LiveRun): Promise<void> {
  if (isZero(heldOf(state().ledger))) return;
  const spent = await countSpent({ run });
  change({ ...state(), ledger: recordRecount(expireLeases(state().ledger, Infinity), spent) });
}

/**
 * Takes back the leases of workers that were lost, and lets questions go on that wait for what has become free. Ends
 * with the history.
 */
export async function keepBudget({ run, state, change, isOver }: LiveRun): Promise<void> {
  for (;;) {
    const earliest = Math.min(...state().ledger.leases.map(({ expiresAt }) => expiresAt));
    const isDue = (): boolean =>
      isOver() || needsRecount(state().ledger) || affordableQuestions().length > 0;
    if (earliest === Infinity) await condition(() => isDue() || state().ledger.leases.length > 0);
    else await condition(isDue, Math.max(1, earliest - Date.now()));
    if (isOver()) return;
    change({ ...state(), ledger: expireLeases(state().ledger, Date.now()) });
    if (needsRecount(state().ledger)) {
      const { settled } = state().ledger;
      const spent = await countSpent({ run });
      // A lease may have come and gone meanwhile, whose replies were counted in part: then it is counted again.
      if (state().ledger.settled === settled) {
        change({ ...state(), ledger: recordRecount(state().ledger, spent) });
      }
    }
    const questions = affordableQuestions();
    change(recordResumed(state(), questions));
    await Promise.all(questions.map((key) => signalQuestion(run, key, lookAgainSignal)));
  }

  function affordableQuestions(): readonly WaitingQuestion[] {
    const { waiting, ledger, paused } = state();
    const poor = waiting.filter(({ reason }) => reason === 'budget');
    if (paused || poor.length === 0) return [];
    return poor.slice(
      0,
      affordable(
        ledger,
        poor.map(({ need }) => need ?? noAmount),
      ),
    );
  }
}

/** Lets a run end at its deadline, which may be moved meanwhile. */
export async function watchDeadline({ state, change, isOver }: LiveRun): Promise<void> {
  for (;;) {
    const { deadline } = state();
    const isMoved = (): boolean => isOver() || state().deadline !== deadline;
    if (deadline === null) await condition(isMoved);
    else if (!(await condition(isMoved, Math.max(1, deadline - Date.now())))) {
      change({ ...state(), stopping: { kind: 'deadline' } });
      return;
    }
    if (isOver()) return;
  }
}
