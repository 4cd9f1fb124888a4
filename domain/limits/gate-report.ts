import type { AccountReport } from './account-report.js';
import type { Gate, GateCounts } from './gate.js';

/**
 * What a worker says of its gate.
 * @param before - the counts of the last report
 */
export function gateReport(
  gate: Gate,
  worker: string,
  before: GateCounts,
  overMs: number,
  nowMs: number,
): AccountReport {
  const { accepted, acceptedTokens, refused, waiting, inFlight } = gate.counts;
  return {
    worker,
    overMs,
    accepted: accepted - before.accepted,
    acceptedTokens: Math.max(0, acceptedTokens - before.acceptedTokens),
    refused: refused - before.refused,
    waiting,
    inFlight,
    requests: gate.requests,
    tokens: gate.tokens,
    hold: gate.hold,
    pauseMs: gate.pauseMs(nowMs),
    strays: gate.strays,
  };
}
