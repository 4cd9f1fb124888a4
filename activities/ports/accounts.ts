import type { AccountReport, AccountShare } from '../../domain/rate-limits/account-report.js';

/** A provider account as its limits are counted: most providers count each model by itself. */
export interface Account {
  /** Inside the home of the worker. */
  readonly workflowId: string;
  /** For people, e.g. `api.openai.com, model gpt-4.1`. Nothing secret. */
  readonly name: string;
}

/** The coordinator of an account's workers. Rejects where it does not answer. */
export interface AccountsPort {
  readonly report: (account: Account, report: AccountReport) => Promise<AccountShare>;
}
