import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  addReport,
  emptyAccount,
  isAbandoned,
  shareOf,
  accountSummary,
  accountSummaryText,
  type AccountState,
} from '../domain/rate-limits/account-state.js';
import { accountQuery, accountReportSignal, accountShareQuery } from './messages.js';

/** Workers that come back after a longer silence find the limits again. */
const silentMs = 5 * 60_000;

interface ProviderAccountInput {
  /** Carried from an earlier history; absent at the start. */
  readonly state?: AccountState;
}

/**
 * Divides the limits of one provider account among the workers that call it. A worker signals a report and queries its share.
 * The workflow ends when no worker has reported for five minutes.
 */
export async function providerAccountWorkflow(input: ProviderAccountInput): Promise<void> {
  let state = input.state ?? emptyAccount;
  setHandler(accountReportSignal, (report) => {
    state = addReport(state, report, Date.now()).state;
    setCurrentDetails(accountSummaryText(accountSummary(state, Date.now())));
  });
  setHandler(accountShareQuery, (worker) => shareOf(state, worker));
  setHandler(accountQuery, () => accountSummary(state, Date.now()));

  do {
    if (await condition(() => workflowInfo().continueAsNewSuggested, silentMs)) {
      await condition(allHandlersFinished);
      await continueAsNew<typeof providerAccountWorkflow>({ state });
    }
  } while (!isAbandoned(state, silentMs, Date.now()));
}
