import { z } from 'zod';
import { sum } from '../statistics/means.js';
import {
  accountReportSchema,
  accountShareSchema,
  evidenceSchema,
  callWaitReasons,
  type AccountReport,
  type AccountShare,
  type Evidence,
  type KnownLimit,
  type Limit,
  type LimitShare,
  type CallWaitReason,
} from './account-report.js';
import type { Outage } from './circuit-breaker.js';

/** A worker without a report for this time counts as stopped, and its share becomes free. */
const absentMs = 15_000;
/** A smaller free part, in units a minute, is a rounding error. */
const leastFree = 0.01;
/** A worker gets at least this part of an equal share, so that its first calls do not wait for its next report. */
const leastPart = 0.1;
/** A worker without waiting calls gets this multiple of its use, so that it can grow until its next report. */
const demandMargin = 1.2;

const evidenceOfAllSchema = z.object({
  requests: evidenceSchema,
  tokens: evidenceSchema,
  spurious429s: z.number().nonnegative(),
});

/** The reports of a provider account's workers. Times are milliseconds of the account workflow's clock. */
export const accountStateSchema = z.object({
  workers: z.array(
    z.object({
      report: accountReportSchema,
      /** The answer to the report. */
      share: accountShareSchema,
      atMs: z.number(),
    }),
  ),
  /** The part of the estimated limits that no worker has, in units a minute. Negative if the workers have too much. */
  free: z.object({ requests: z.number(), tokens: z.number() }),
  pausedUntilMs: z.number(),
  /** The latest reported evidence, for the next worker without any. */
  evidence: evidenceOfAllSchema,
});
export type AccountState = Readonly<z.infer<typeof accountStateSchema>>;

const noEvidence: Evidence = { isGuess: false, probingSeconds: 0, acceptedRatio: 1 };

export const emptyAccount: AccountState = {
  workers: [],
  free: { requests: 0, tokens: 0 },
  pausedUntilMs: 0,
  evidence: { requests: noEvidence, tokens: noEvidence, spurious429s: 0 },
};

type Unit = 'requests' | 'tokens';

/** Adds a worker's report and returns the worker's new share. */
export function addReport(
  state: AccountState,
  report: AccountReport,
  nowMs: number,
): { readonly state: AccountState; readonly share: AccountShare } {
  const { workers, free: freeBefore, pausedUntilMs, evidence } = withoutAbsent(state, nowMs);
  const before = workers.find((one) => one.report.worker === report.worker)?.report;
  const others = workers.filter((one) => one.report.worker !== report.worker);
  const reports = [report, ...others.map((other) => other.report)];
  const free = {
    requests: freeBefore.requests + lostEstimate(before?.requests, report.requests),
    tokens: freeBefore.tokens + lostEstimate(before?.tokens, report.tokens),
  };
  const requests = limitShare('requests', reports, free.requests, evidence.requests);
  const tokens = limitShare('tokens', reports, free.tokens, evidence.tokens);
  const until = Math.max(pausedUntilMs, nowMs + report.pauseMs);
  const share: AccountShare = {
    requests,
    tokens,
    pauseMs: Math.max(0, until - nowMs),
    spurious429s: evidence.spurious429s,
    outage: others.find((other) => other.report.outage !== null)?.report.outage ?? null,
  };
  return {
    state: {
      workers: [...others, { report: withShare(report, share), share, atMs: nowMs }],
      free: {
        requests: free.requests + returned(report.requests, requests),
        tokens: free.tokens + returned(report.tokens, tokens),
      },
      pausedUntilMs: until,
      evidence: {
        requests: evidenceOf(report.requests) ?? evidence.requests,
        tokens: evidenceOf(report.tokens) ?? evidence.tokens,
        spurious429s: report.spurious429s ?? evidence.spurious429s,
      },
    },
    share,
  };
}

/** The share that answers a worker's latest report. Null for a worker that has not reported. */
export const shareOf = ({ workers }: AccountState, worker: string): AccountShare | null =>
  workers.find(({ report }) => report.worker === worker)?.share ?? null;

/** Whether no worker has reported for `silentMs`. */
export const isAbandoned = ({ workers }: AccountState, silentMs: number, nowMs: number): boolean =>
  workers.every(({ atMs }) => nowMs - atMs >= silentMs);

function withoutAbsent(state: AccountState, nowMs: number): AccountState {
  const isAbsent = ({ atMs }: { readonly atMs: number }): boolean => nowMs - atMs >= absentMs;
  const absent = state.workers.filter(isAbsent).map(({ report }) => report);
  const estimated = (unit: Unit): number => sum(absent.map((one) => one[unit].estimated ?? 0));
  return {
    ...state,
    workers: state.workers.filter((worker) => !isAbsent(worker)),
    free: {
      requests: state.free.requests + estimated('requests'),
      tokens: state.free.tokens + estimated('tokens'),
    },
  };
}

/** The share of the worker that sent the first of the reports. */
function limitShare(
  unit: Unit,
  reports: readonly AccountReport[],
  free: number,
  evidence: Evidence,
): LimitShare {
  const limits = reports.map((report) => report[unit]);
  const advertised = limits.flatMap((limit) => limit.advertised ?? []);
  const estimated = sum(limits.map((limit) => limit.estimated ?? 0)) + free;
  const isNew = limits[0]?.estimated === null;
  // Guesses change too fast to be divided again with each report, unless there is a new worker or a free part.
  const isDivided =
    isNew || Math.abs(free) >= leastFree || limits.every((limit) => !limit.evidence.isGuess);
  const demands = reports.map((report) => demandOf(unit, report));
  return {
    advertised:
      reports.length > 1 && advertised.length > 0
        ? firstPart(Math.min(...advertised), demands)
        : null,
    estimated:
      estimated > 0 && isDivided
        ? firstPart(estimated, isNew ? demands.with(0, Infinity) : demands)
        : null,
    ...(isNew && { evidence }),
  };
}

function firstPart(total: number, demands: readonly number[]): number | null {
  const least = (leastPart * total) / demands.length;
  const parts = divide(
    total,
    demands.map((demand) => Math.max(demand, least)),
  );
  return parts[0] ?? null;
}

/** In units a minute. The demand of a worker with waiting calls is infinite, and so is that of a new worker. */
function demandOf(unit: Unit, report: AccountReport): number {
  if (report.waiting > 0 || report.spurious429s === null) return Infinity;
  const units = unit === 'requests' ? report.accepted : report.acceptedTokens;
  return (demandMargin * units * 60_000) / report.overMs;
}

/**
 * Divides `total` by max-min fairness: small demands are met in full, and the others get equal parts of the rest. What
 * exceeds all demands is divided equally, as a reserve for calls that come before the next report.
 */
export function divide(total: number, demands: readonly number[]): readonly number[] {
  const shares = demands.map(() => 0);
  let rest = total;
  const ascending = [...demands.keys()].sort((a, b) => (demands[a] ?? 0) - (demands[b] ?? 0));
  for (const [served, index] of ascending.entries()) {
    const share = Math.min(demands[index] ?? 0, rest / (demands.length - served));
    shares[index] = share;
    rest -= share;
  }
  return shares.map((share) => share + rest / shares.length);
}

const evidenceOf = ({ estimated, evidence }: KnownLimit): Evidence | null =>
  estimated === null ? null : evidence;

/** The report, with the estimates that the worker has once it applies the share. */
const withShare = (report: AccountReport, { requests, tokens }: AccountShare): AccountReport => ({
  ...report,
  requests: { ...report.requests, estimated: requests.estimated ?? report.requests.estimated },
  tokens: { ...report.tokens, estimated: tokens.estimated ?? report.tokens.estimated },
});

/** The earlier estimate of a worker that has none any more. */
const lostEstimate = (before: Limit | undefined, now: Limit): number =>
  now.estimated === null ? (before?.estimated ?? 0) : 0;

const returned = (before: Limit, share: Limit): number =>
  share.estimated === null ? 0 : (before.estimated ?? 0) - share.estimated;

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
