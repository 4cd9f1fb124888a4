import type { Amount, Cap } from '../budget/amount.js';
import { heldOf, spentOf } from '../budget/ledger.js';
import type { SampleKey } from '../ids.js';
import { heldBy, isParked, type RunState, type WaitingQuestion } from './run-state.js';
import { endedCount, type CarriedTotals, type RunTotals } from './run-totals.js';

/** Where a run is, in a few figures: the answer to every update that steers it. */
export interface RunSummary {
  readonly samples: number;
  readonly ended: number;
  readonly inFlight: number;
  /** Those in flight that wait for more than their turn. */
  readonly waiting: number;
  /** Why no question is started at the moment; null where they are. */
  readonly heldBy: ReturnType<typeof heldBy> | 'stopping';
  /** Nothing goes on until somebody lets it. */
  readonly parked: boolean;
  /** Questions in flight at most. */
  readonly concurrency: number;
  /** ISO 8601. */
  readonly deadline: string | null;
  readonly budget: {
    readonly cap: Cap;
    /** By all calls that ended, also of questions that have not. */
    readonly spent: Amount;
    /** For calls under way. */
    readonly reserved: Amount;
  };
}

export function runSummary(state: RunState, concurrency: number): RunSummary {
  const { samples, inFlight, waiting, deadline, ledger, stopping, totals } = state;
  return {
    samples,
    ended: endedCount(totals),
    inFlight: inFlight.length,
    waiting: waiting.length,
    heldBy: stopping === null ? heldBy(state) : 'stopping',
    parked: isParked(state),
    concurrency,
    deadline: deadline === null ? null : new Date(deadline).toISOString(),
    budget: { cap: ledger.cap, spent: spentOf(ledger), reserved: heldOf(ledger) },
  };
}

/** The same, with what it is made of: as long as the window. */
export interface RunProgress {
  readonly samples: number;
  readonly totals: RunTotals;
  readonly inFlight: readonly SampleKey[];
  readonly waiting: readonly WaitingQuestion[];
  readonly summary: RunSummary;
}

export const runProgress = (state: RunState, concurrency: number): RunProgress => ({
  samples: state.samples,
  totals: state.totals,
  inFlight: state.inFlight,
  waiting: state.waiting,
  summary: runSummary(state, concurrency),
});

/** How far a run was at one moment. */
export interface ProgressPoint {
  /** Milliseconds, of any clock that goes on. */
  readonly atMs: number;
  readonly ended: number;
  readonly turns: number;
  readonly calls: number;
}

/** What gets done, as of late. */
export interface ProgressRates {
  readonly turnsPerSecond: number;
  readonly callsPerSecond: number;
  readonly endedPerSecond: number;
}

/** Points closer to each other than this tell nothing more. */
const apartMs = 2_000;
/** Of late: the shortest time that is as long as this and saw so many questions end. */
const lateMs = 60_000;
const lateEnded = 10;
const pointsKept = 600;

export const progressPoint = (totals: CarriedTotals, atMs: number): ProgressPoint => ({
  atMs,
  ended: endedCount(totals),
  turns: totals.turns,
  calls: totals.usage.calls,
});

/** The first point stays: of a slow run it is what is compared with. */
export function addPoint(
  points: readonly ProgressPoint[],
  point: ProgressPoint,
): readonly ProgressPoint[] {
  const last = points.at(-1);
  if (last && point.atMs - last.atMs < apartMs) return points;
  const [first, ...others] = points;
  return first && others.length >= pointsKept
    ? [first, ...others.slice(1), point]
    : [...points, point];
}

/** Null before any question has ended since the first point, and after a retry took ends back. */
export function ratesOf(
  points: readonly ProgressPoint[],
  now: ProgressPoint,
): ProgressRates | null {
  const since =
    points.findLast(
      ({ atMs, ended }) => now.atMs - atMs >= lateMs && now.ended - ended >= lateEnded,
    ) ?? points[0];
  if (since === undefined || now.ended <= since.ended || now.atMs <= since.atMs) return null;
  const seconds = (now.atMs - since.atMs) / 1000;
  return {
    turnsPerSecond: (now.turns - since.turns) / seconds,
    callsPerSecond: (now.calls - since.calls) / seconds,
    endedPerSecond: (now.ended - since.ended) / seconds,
  };
}
