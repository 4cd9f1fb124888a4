import { z } from 'zod';
import { sum } from '../statistics/mean.js';
import {
  accountReportSchema,
  accountShareSchema,
  standingSchema,
  type AccountReport,
  type AccountShare,
  type KnownLimit,
  type Limit,
  type LimitShare,
  type Standing,
} from './account-report.js';
import { divide } from './divide.js';

/** A worker that was silent for so long is gone, and its share free. */
const absentMs = 15_000;

const knowledgeSchema = z.object({
  requests: standingSchema,
  tokens: standingSchema,
  strays: z.number().nonnegative(),
});
type Knowledge = Readonly<z.infer<typeof knowledgeSchema>>;

const nothing: Knowledge = { requests: { isGuess: false }, tokens: { isGuess: false }, strays: 0 };

/** Less than this, in units a minute, is a rounding error. */
const leastFree = 0.01;

/** What all workers together know of a provider account. Times are milliseconds of the control workflow's clock. */
export const accountStateSchema = z.object({
  workers: z.array(
    z.object({
      report: accountReportSchema,
      /** What it was told then. Absent in states of older versions. */
      share: accountShareSchema.optional(),
      atMs: z.number(),
    }),
  ),
  /** Of the measured limits, what no worker has at the moment; in units a minute, negative where they have too much. */
  free: z.object({ requests: z.number(), tokens: z.number() }),
  pausedUntilMs: z.number(),
  /** What was known when a worker last said so, for the next one that knows nothing. Absent in older versions. */
  known: knowledgeSchema.optional(),
});
export type AccountState = Readonly<z.infer<typeof accountStateSchema>>;

export const emptyAccount: AccountState = {
  workers: [],
  free: { requests: 0, tokens: 0 },
  pausedUntilMs: 0,
};

/** Takes in a worker's report, and says what it may use from now on. */
export function noteReport(
  state: AccountState,
  report: AccountReport,
  nowMs: number,
): { readonly state: AccountState; readonly share: AccountShare } {
  const { workers, free: left, pausedUntilMs, known = nothing } = withoutAbsent(state, nowMs);
  const before = workers.find(({ report: { worker } }) => worker === report.worker)?.report;
  const others = workers.filter(({ report: { worker } }) => worker !== report.worker);
  const reports = [report, ...others.map((other) => other.report)];
  const free = {
    requests: left.requests + forgotten(before?.requests, report.requests),
    tokens: left.tokens + forgotten(before?.tokens, report.tokens),
  };
  const requests = limitShare('requests', reports, free.requests, known);
  const tokens = limitShare('tokens', reports, free.tokens, known);
  const until = Math.max(pausedUntilMs, nowMs + report.pauseMs);
  const pauseMs = Math.max(0, until - nowMs);
  const share = { requests, tokens, pauseMs, strays: known.strays };
  return {
    state: {
      workers: [...others, { report: withShare(report, requests, tokens), share, atMs: nowMs }],
      free: {
        requests: free.requests + givenUp(report.requests, requests),
        tokens: free.tokens + givenUp(report.tokens, tokens),
      },
      pausedUntilMs: until,
      known: {
        requests: standingOf(report.requests) ?? known.requests,
        tokens: standingOf(report.tokens) ?? known.tokens,
        strays: report.strays ?? known.strays,
      },
    },
    share,
  };
}

/** Null for one who knows nothing. */
const standingOf = ({ measured, isGuess, beats, proven }: KnownLimit): Standing | null =>
  measured === null
    ? null
    : { isGuess, ...(beats !== undefined && { beats }), ...(proven !== undefined && { proven }) };

/** What a worker was told when it reported last; null where it is not known. */
export const shareOf = ({ workers }: AccountState, worker: string): AccountShare | null =>
  workers.find(({ report }) => report.worker === worker)?.share ?? null;

/** Whether nobody has reported for `silentMs`. */
export const isAbandoned = ({ workers }: AccountState, silentMs: number, nowMs: number): boolean =>
  workers.every(({ atMs }) => nowMs - atMs >= silentMs);

function withoutAbsent(state: AccountState, nowMs: number): AccountState {
  const isAbsent = ({ atMs }: { readonly atMs: number }): boolean => nowMs - atMs >= absentMs;
  const absent = state.workers.filter(isAbsent).map(({ report }) => report);
  const { requests, tokens } = state.free;
  return {
    ...state,
    workers: state.workers.filter((worker) => !isAbsent(worker)),
    free: {
      requests: requests + sum(absent.map((report) => report.requests.measured ?? 0)),
      tokens: tokens + sum(absent.map((report) => report.tokens.measured ?? 0)),
    },
  };
}

/** The first one's share. */
function limitShare(
  unit: 'requests' | 'tokens',
  reports: readonly AccountReport[],
  free: number,
  known: Knowledge,
): LimitShare {
  const limits = reports.map((report) => report[unit]);
  const told = limits.flatMap((limit) => limit.told ?? []);
  const measured = sum(limits.map((limit) => limit.measured ?? 0)) + free;
  const isNew = limits[0]?.measured === null;
  // A guess is not divided anew, except for one who knows nothing, and where somebody has left a share.
  const isDivided = isNew || Math.abs(free) >= leastFree || limits.every(({ isGuess }) => !isGuess);
  const demands = reports.map((report) => demandOf(unit, report));
  return {
    told: reports.length > 1 && told.length > 0 ? firstPart(Math.min(...told), demands) : null,
    measured:
      measured > 0 && isDivided
        ? firstPart(measured, isNew ? demands.with(0, Infinity) : demands)
        : null,
    ...(isNew && { standing: known[unit] }),
  };
}

function firstPart(total: number, demands: readonly number[]): number | null {
  const least = total / (10 * demands.length);
  const parts = divide(
    total,
    demands.map((demand) => Math.max(demand, least)),
  );
  return parts[0] ?? null;
}

/** A minute. Who has calls waiting takes what is to be had, and so may one who has only just come. */
function demandOf(unit: 'requests' | 'tokens', report: AccountReport): number {
  if (report.waiting > 0 || report.strays === null) return Infinity;
  const units = unit === 'requests' ? report.accepted : report.acceptedTokens;
  return (1.2 * units * 60_000) / report.overMs;
}

/** What a worker has once it has heard of its share. */
const withShare = (report: AccountReport, requests: Limit, tokens: Limit): AccountReport => ({
  ...report,
  requests: { ...report.requests, measured: requests.measured ?? report.requests.measured },
  tokens: { ...report.tokens, measured: tokens.measured ?? report.tokens.measured },
});

/** What a worker had and says no more that it has. */
const forgotten = (before: Limit | undefined, now: Limit): number =>
  now.measured === null ? (before?.measured ?? 0) : 0;

const givenUp = (before: Limit, share: Limit): number =>
  share.measured === null ? 0 : (before.measured ?? 0) - share.measured;
