import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { accountPicture, accountPictureText } from '../domain/limits/account-picture.js';
import type { AccountReport, AccountShare } from '../domain/limits/account-report.js';
import {
  emptyAccount,
  isAbandoned,
  noteReport,
  shareOf,
  type AccountState,
} from '../domain/limits/account-state.js';
import {
  accountQuery,
  accountReportSignal,
  accountShareQuery,
  reportAccountUpdate,
} from './messages.js';

/** Workers that come back after a longer silence find the limits anew. */
const silentMs = 5 * 60_000;

export interface ProviderAccountInput {
  /** Carried from an earlier history; absent at the start. */
  readonly state?: AccountState;
}

/** Where the workers that call one provider account hear of each other. It ends when they have been silent for long. */
export async function providerAccountWorkflow(input: ProviderAccountInput): Promise<void> {
  let state = input.state ?? emptyAccount;
  const take = (report: AccountReport): AccountShare => {
    const noted = noteReport(state, report, Date.now());
    state = noted.state;
    setCurrentDetails(accountPictureText(accountPicture(state, Date.now())));
    return noted.share;
  };
  setHandler(accountReportSignal, (report) => void take(report));
  setHandler(accountShareQuery, (worker) => shareOf(state, worker));
  setHandler(reportAccountUpdate, take);
  setHandler(accountQuery, () => accountPicture(state, Date.now()));

  do {
    if (await condition(() => workflowInfo().continueAsNewSuggested, silentMs)) {
      await condition(allHandlersFinished);
      await continueAsNew<typeof providerAccountWorkflow>({ state });
    }
  } while (!isAbandoned(state, silentMs, Date.now()));
}
