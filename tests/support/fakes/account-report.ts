import type { AccountReport, KnownLimit } from '../../../domain/rate-limits/account-report.js';

export const unknownLimit: KnownLimit = {
  advertised: null,
  estimated: null,
  evidence: { isGuess: false, probingSeconds: 0, acceptedRatio: 1 },
};

/** Of a worker that waits for a limit it does not know yet. */
export const accountReport = (
  worker: string,
  changes: Partial<AccountReport> = {},
): AccountReport => ({
  worker,
  overMs: 3000,
  accepted: 15,
  acceptedTokens: 15_000,
  refused: 0,
  waiting: 40,
  inFlight: 10,
  requests: unknownLimit,
  tokens: unknownLimit,
  waitsFor: 'requests',
  pauseMs: 0,
  spurious429s: 0,
  outage: null,
  ...changes,
});
