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

/** Tells the other workers what a gate sees: when a call comes, and every few seconds until a moment of rest. */
export class ReportedGate extends AccountGate {
  #timer: NodeJS.Timeout | undefined;
  #isReporting = false;
  /** It is new or has rested, others may have its share, and nobody has told it yet what is its own. */
  #returns = false;

  constructor(
    private readonly accounts: AccountsPort,
    private readonly account: Account,
    private readonly worker: string,
  ) {
    super();
  }

  override wait(...call: Parameters<AccountGate['wait']>): ReturnType<AccountGate['wait']> {
    const turn = super.wait(...call);
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => void this.#tellOthers(), reportEveryMs).unref();
      this.#returns = true;
      void this.#tellOthers();
    }
    return turn;
  }

  async #tellOthers(): Promise<void> {
    if (this.#isReporting) return;
    this.#isReporting = true;
    const seen = this.report(this.worker);
    const returns = this.#returns;
    const report = returns ? withoutMeasures(seen) : seen;
    if (isAtRest(report)) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    // Whom nobody answers is alone, and keeps to what it sees itself.
    const share = await this.accounts.report(this.account, report).catch(() => null);
    if (returns && share !== null) this.#returns = false;
    this.heed(share ?? alone);
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
