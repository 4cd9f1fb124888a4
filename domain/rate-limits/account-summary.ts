import { sum } from '../statistics/means.js';
import { callWaitReasons, type Limit, type CallWaitReason } from './account-report.js';
import type { AccountState } from './account-state.js';
import type { Outage } from './circuit-breaker.js';

/** The state of a provider account, over all its workers. */
export interface AccountSummary {
  readonly workers: number;
  readonly requests: Limit;
  readonly tokens: Limit;
  readonly acceptedPerMinute: number;
  readonly refusedPerMinute: number;
  readonly waiting: number;
  readonly inFlight: number;
  /** The most severe reason why calls of any worker wait. Null if no call waits. */
  readonly waitsFor: CallWaitReason | null;
  /** The rest of the pause that the provider asked for. */
  readonly pauseMs: number;
  /** What the calls of a worker fail of. */
  readonly outage: Outage | null;
}

export function accountSummary(state: AccountState, nowMs: number): AccountSummary {
  const reports = state.workers.map(({ report }) => report);
  const limit = (unit: 'requests' | 'tokens'): Limit => {
    const advertised = reports.flatMap((report) => report[unit].advertised ?? []);
    const estimated = reports.flatMap((report) => report[unit].estimated ?? []);
    return {
      advertised: advertised.length === 0 ? null : Math.min(...advertised),
      estimated: estimated.length === 0 ? null : sum(estimated) + state.free[unit],
    };
  };
  const aMinute = (count: number, overMs: number): number => (count * 60_000) / overMs;
  return {
    workers: reports.length,
    requests: limit('requests'),
    tokens: limit('tokens'),
    acceptedPerMinute: sum(reports.map(({ accepted, overMs }) => aMinute(accepted, overMs))),
    refusedPerMinute: sum(reports.map(({ refused, overMs }) => aMinute(refused, overMs))),
    waiting: sum(reports.map(({ waiting }) => waiting)),
    inFlight: sum(reports.map(({ inFlight }) => inFlight)),
    // `callWaitReasons` begins with the most severe one.
    waitsFor:
      callWaitReasons.find((one) => reports.some(({ waitsFor }) => waitsFor === one)) ?? null,
    pauseMs: Math.max(0, state.pausedUntilMs - nowMs),
    outage: reports.find(({ outage }) => outage !== null)?.outage ?? null,
  };
}

/** One line: the limits and their sources, why calls wait, and the counts. */
export function accountSummaryText(summary: AccountSummary): string {
  const { workers, waiting, inFlight, acceptedPerMinute, refusedPerMinute } = summary;
  return [
    limitsText(summary),
    ...pauseText(summary),
    `${Math.round(acceptedPerMinute)} calls a minute`,
    ...(refusedPerMinute > 0 ? [`${Math.round(refusedPerMinute)} refused`] : []),
    `${inFlight} in flight`,
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
    `${workers} ${workers === 1 ? 'worker' : 'workers'}`,
  ].join(' · ');
}

function limitsText({ requests, tokens }: AccountSummary): string {
  const known = [...limitText(requests, 'requests'), ...limitText(tokens, 'tokens')];
  return known.length === 0 ? 'no limit met yet' : known.join(', ');
}

function limitText({ advertised, estimated }: Limit, unit: string): readonly string[] {
  if (advertised === null && estimated === null) return [];
  // The estimate is below the advertised limit if programs outside turnwise use the account too.
  return estimated === null || (advertised !== null && advertised <= estimated)
    ? [`${round(advertised ?? 0)} ${unit} a minute, as the provider states`]
    : [`about ${round(estimated)} ${unit} a minute, as refusals have shown`];
}

function pauseText({ waitsFor, pauseMs, outage }: AccountSummary): readonly string[] {
  if (outage !== null) return [`every call fails: ${outage.message}`];
  if (waitsFor === 'quota') return ["the account's credit is spent"];
  if (pauseMs >= 1000) return [`no calls for ${Math.ceil(pauseMs / 1000)} s, as the provider asks`];
  if (waitsFor === 'refused') return ['the provider refuses every call at the moment'];
  return [];
}

const round = (perMinute: number): string =>
  perMinute >= 100_000 ? `${Math.round(perMinute / 1000)}k` : String(Math.round(perMinute));
