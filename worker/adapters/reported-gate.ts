import type { Account, AccountsPort } from '../../activities/ports/accounts.js';
import type { AccountReport, AccountShare } from '../../domain/limits/account-report.js';
import { AccountGate } from './account-gate.js';

const reportEveryMs = 3000;
const alone: AccountShare = {
  requests: { told: null, measured: null },
  tokens: { told: null, measured: null },
  pauseMs: 0,
  strays: null,
};

/** Tells the other workers every few seconds what a gate sees, from a call's arrival to a moment of rest. */
export class ReportedGate extends AccountGate {
  #timer: NodeJS.Timeout | undefined;
  #isReporting = false;
  /** It rested, and others may have its share. */
  #returns = false;

  constructor(
    private readonly accounts: AccountsPort,
    private readonly account: Account,
    private readonly worker: string,
  ) {
    super();
  }

  override wait(...call: Parameters<AccountGate['wait']>): ReturnType<AccountGate['wait']> {
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => void this.#tellOthers(), reportEveryMs).unref();
      this.#returns = true;
    }
    return super.wait(...call);
  }

  async #tellOthers(): Promise<void> {
    if (this.#isReporting) return;
    this.#isReporting = true;
    const seen = this.report(this.worker);
    const report = this.#returns ? withoutMeasures(seen) : seen;
    this.#returns = false;
    if (isAtRest(report)) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    // Whom nobody answers is alone, and keeps to what it sees itself.
    const share = await this.accounts.report(this.account, report).catch(() => alone);
    this.heed(share);
    this.#isReporting = false;
  }
}

const withoutMeasures = (report: AccountReport): AccountReport => ({
  ...report,
  requests: { ...report.requests, measured: null, isGuess: false },
  tokens: { ...report.tokens, measured: null, isGuess: false },
});

const isAtRest = ({ accepted, refused, waiting, inFlight }: AccountReport): boolean =>
  accepted + refused + waiting + inFlight === 0;
