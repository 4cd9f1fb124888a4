import type { Account, AccountsPort } from '../../activities/ports/accounts.js';
import { localEstimates, type AccountReport } from '../../domain/rate-limits/account-report.js';
import {
  type Call,
  type Deferral,
  type Permit,
  RateLimiter,
} from '../../domain/rate-limits/rate-limiter.js';
import type { Guard } from '../adapters/guard.js';

/** Node's timers cannot wait longer than 24 days, so a longer wait is divided. */
const longestTimerMs = 60_000;
const reportEveryMs = 3000;

/** The rate limiter of one account: runs a RateLimiter on the clock and timers of this process. */
export interface AccountLimiter {
  /** Resolves when the call may be sent or is deferred. Rejects with the signal's reason if that aborts first. */
  readonly wait: (call: Call, signal: AbortSignal) => Promise<Permit | Deferral>;
  /** The same for a call that the provider has refused. */
  readonly waitAgain: (call: Call, signal: AbortSignal) => Promise<Permit | Deferral>;
  /** Records the end of a call that was sent. */
  readonly record: (end: (limiter: RateLimiter, nowMs: number) => void) => void;
  /** The number of calls that the account has accepted so far. */
  readonly acceptedCalls: () => number;
}

/**
 * It reports to the coordinator of the account's workers at the first call, and then every few seconds until there are no
 * more calls.
 * @param worker - the name of this worker among them
 * @param guard - whose outages the workers tell each other
 */
export function createAccountLimiter(
  accounts: AccountsPort,
  account: Account,
  worker: string,
  guard: Pick<Guard, 'outage' | 'learn'>,
): AccountLimiter {
  const limiter = new RateLimiter(performance.now());
  const waiting = new Map<Call, (outcome: Permit | Deferral) => void>();
  let wakeTimer: NodeJS.Timeout | undefined;

  const record: AccountLimiter['record'] = (end) => {
    end(limiter, performance.now());
    serve();
  };
  const reportSoon = reporting(accounts, account, worker, limiter, guard, serve);

  function serve(): void {
    const nowMs = performance.now();
    const { permits, deferrals, wakeAtMs } = limiter.serve(nowMs);
    for (const outcome of [...permits, ...deferrals]) {
      waiting.get(outcome.call)?.(outcome);
      waiting.delete(outcome.call);
    }
    clearTimeout(wakeTimer);
    if (wakeAtMs === null) return;
    const ms = Math.min(Math.ceil(wakeAtMs - nowMs), longestTimerMs);
    wakeTimer = setTimeout(serve, Math.max(1, ms));
  }

  async function enter(
    call: Call,
    signal: AbortSignal,
    enqueue: () => void,
  ): Promise<Permit | Deferral> {
    signal.throwIfAborted();
    let leave: (() => void) | undefined;
    try {
      return await new Promise((resolve, reject) => {
        leave = () => {
          waiting.delete(call);
          record(() => limiter.leave(call));
          reject(signal.reason as Error);
        };
        signal.addEventListener('abort', leave);
        waiting.set(call, resolve);
        enqueue();
        serve();
      });
    } finally {
      if (leave !== undefined) signal.removeEventListener('abort', leave);
    }
  }

  return {
    wait: (call, signal) => {
      const outcome = enter(call, signal, () => limiter.join(call));
      reportSoon();
      return outcome;
    },
    waitAgain: (call, signal) => enter(call, signal, () => limiter.rejoin(call)),
    record,
    acceptedCalls: () => limiter.acceptedCalls,
  };
}

/** Returns a function that starts the reports, unless they are running. */
function reporting(
  accounts: AccountsPort,
  account: Account,
  worker: string,
  limiter: RateLimiter,
  guard: Pick<Guard, 'outage' | 'learn'>,
  serve: () => void,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isReporting = false;
  /** A worker without a share: it is new or was idle, and others may use its former share. It reports no estimates. */
  let hasNoShare = false;

  async function report(): Promise<void> {
    if (isReporting) return;
    isReporting = true;
    const current = { ...limiter.report(worker, performance.now()), outage: guard.outage() };
    const withEstimates = !hasNoShare;
    if (isIdle(current)) {
      clearInterval(timer);
      timer = undefined;
    }
    const share = await accounts
      .report(account, withEstimates ? current : withoutEstimates(current))
      // Without a coordinator, local estimates are used.
      .catch(() => null);
    if (!withEstimates && share !== null) hasNoShare = false;
    limiter.applyShare(share ?? localEstimates, performance.now());
    guard.learn(share?.outage ?? null);
    serve();
    isReporting = false;
  }

  return () => {
    if (timer !== undefined) return;
    timer = setInterval(() => void report(), reportEveryMs).unref();
    hasNoShare = true;
    void report();
  };
}

const withoutEstimates = (report: AccountReport): AccountReport => ({
  ...report,
  requests: { ...report.requests, estimated: null },
  tokens: { ...report.tokens, estimated: null },
});

const isIdle = ({ accepted, refused, waiting, inFlight }: AccountReport): boolean =>
  accepted + refused + waiting + inFlight === 0;
