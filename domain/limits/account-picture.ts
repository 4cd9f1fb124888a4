import { sum } from '../statistics/mean.js';
import type { Hold, Limit } from './account-report.js';
import type { AccountState } from './account-state.js';

/** A provider account as all its workers see it together, for people. */
export interface AccountPicture {
  readonly workers: number;
  readonly requests: Limit;
  readonly tokens: Limit;
  readonly acceptedPerMinute: number;
  readonly refusedPerMinute: number;
  readonly waiting: number;
  readonly inFlight: number;
  /** What calls wait for; null where none waits. */
  readonly hold: Hold | null;
  /** How long the provider still wants to be left alone. */
  readonly pauseMs: number;
}

/** What is worse comes first: of several workers' reasons to wait it is the one to tell. */
const gravity: readonly Hold[] = [
  'quota',
  'retry-after',
  'refused',
  'tokens',
  'requests',
  'concurrency',
];

export function accountPicture(state: AccountState, nowMs: number): AccountPicture {
  const reports = state.workers.map(({ report }) => report);
  const limit = (unit: 'requests' | 'tokens'): Limit => {
    const told = reports.flatMap((report) => report[unit].told ?? []);
    const measured = reports.flatMap((report) => report[unit].measured ?? []);
    return {
      told: told.length === 0 ? null : Math.min(...told),
      measured: measured.length === 0 ? null : sum(measured) + state.free[unit],
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
    hold: gravity.find((one) => reports.some(({ hold }) => hold === one)) ?? null,
    pauseMs: Math.max(0, state.pausedUntilMs - nowMs),
  };
}

/** One line: the limit, why it is thought to be that, and what it does at the moment. */
export function accountPictureText(picture: AccountPicture): string {
  const { workers, waiting, inFlight, acceptedPerMinute, refusedPerMinute } = picture;
  return [
    limitText(picture),
    ...haltText(picture),
    `${Math.round(acceptedPerMinute)} calls a minute`,
    ...(refusedPerMinute > 0 ? [`${Math.round(refusedPerMinute)} refused`] : []),
    `${inFlight} in flight`,
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
    `${workers} ${workers === 1 ? 'worker' : 'workers'}`,
  ].join(' · ');
}

function limitText({ requests, tokens }: AccountPicture): string {
  const known = [...limitWords(requests, 'requests'), ...limitWords(tokens, 'tokens')];
  return known.length === 0 ? 'no limit met yet' : known.join(', ');
}

function limitWords({ told, measured }: Limit, unit: string): readonly string[] {
  if (told === null && measured === null) return [];
  // Others may use the account as well: then less is to be had than the provider states.
  return measured === null || (told !== null && told <= measured)
    ? [`${round(told ?? 0)} ${unit} a minute, as the provider states`]
    : [`about ${round(measured)} ${unit} a minute, as refusals have shown`];
}

function haltText({ hold, pauseMs }: AccountPicture): readonly string[] {
  if (hold === 'quota') return ["the account's credit is spent"];
  if (pauseMs >= 1000)
    return [`left alone for ${Math.ceil(pauseMs / 1000)} s as the provider asks`];
  if (hold === 'refused') return ['the provider refuses everything at the moment'];
  return [];
}

const round = (perMinute: number): string =>
  perMinute >= 100_000 ? `${Math.round(perMinute / 1000)}k` : String(Math.round(perMinute));
