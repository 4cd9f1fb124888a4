import type { Account, AccountsPort } from '../../../activities/ports/accounts.js';
import {
  localEstimates,
  type AccountReport,
  type AccountShare,
} from '../../../domain/rate-limits/account-report.js';

/** Answers every report with the share it was told, or with nothing at all, and records who reported what. */
export class FakeAccounts implements AccountsPort {
  readonly reports: { readonly account: Account; readonly report: AccountReport }[] = [];
  share: AccountShare | null = localEstimates;

  readonly report = (account: Account, report: AccountReport): Promise<AccountShare> => {
    this.reports.push({ account, report });
    return this.share === null
      ? Promise.reject(new Error('nobody answers'))
      : Promise.resolve(this.share);
  };
}
