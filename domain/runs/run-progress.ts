import { z } from 'zod';
import { amountSchema, capSchema } from '../budget/amount.js';
import { heldOf, spentOf } from '../budget/ledger.js';
import { sampleKeySchema } from '../ids.js';
import {
  blockReasons,
  failedInRowSchema,
  heldBy,
  isParked,
  waitingQuestionSchema,
  type RunState,
} from './run-state.js';
import { endedCount, runTotalsSchema, type RunTotals } from './run-totals.js';

/** The state of a run in a few figures: the result of every update that pauses, resumes or tunes it. */
export const runSummarySchema = z.object({
  /** Questions times epochs. */
  samples: z.int().nonnegative(),
  ended: z.int().nonnegative(),
  inFlight: z.int().nonnegative(),
  /** The questions in flight that wait for a limit, a budget, credit or a person. */
  waiting: z.int().nonnegative(),
  /** Why the run starts no questions at the moment. Null while it does. */
  heldBy: z.enum([...blockReasons, 'stopping']).nullable(),
  /** Whether no question goes on until a person acts. */
  parked: z.boolean(),
  /** The highest number of questions in flight. */
  concurrency: z.int().positive(),
  /** ISO 8601. */
  deadline: z.string().nullable(),
  budget: z.object({
    cap: capSchema,
    /** The cost of all calls that ended, also of questions in flight. */
    spent: amountSchema,
    /** For calls in flight. */
    reserved: amountSchema,
  }),
});
export type RunSummary = Readonly<z.infer<typeof runSummarySchema>>;

/** The state of a run, as its workflow answers a query. It grows with the number of questions in flight. */
export const runProgressSchema = z.object({
  summary: runSummarySchema,
  totals: runTotalsSchema,
  inFlight: z.array(sampleKeySchema).readonly(),
  waiting: z.array(waitingQuestionSchema).readonly(),
  /** Questions in a row that ended with the same failure. */
  failedInRow: failedInRowSchema.nullable(),
});
export type RunProgress = Readonly<z.infer<typeof runProgressSchema>>;

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

export const runProgress = (state: RunState, concurrency: number): RunProgress => ({
  summary: runSummary(state, concurrency),
  totals: state.totals,
  inFlight: state.inFlight,
  waiting: state.waiting,
  failedInRow: state.failedInRow,
});

/** The counts of a run at one moment. */
export interface ProgressPoint {
  /** Milliseconds of a monotonic clock. */
  readonly atMs: number;
  readonly ended: number;
  readonly turns: number;
  readonly calls: number;
}

/** Recent speed of a run. */
export interface ProgressRates {
  readonly turnsPerSecond: number;
  readonly callsPerSecond: number;
  readonly endedPerSecond: number;
}

/** The shortest time between two points that are kept. */
const pointIntervalMs = 2_000;
/** Rates are taken over the shortest recent time that has both this length and this number of ended questions. */
const rateWindowMs = 60_000;
const rateWindowEnded = 10;
const maxPoints = 600;

export const progressPoint = (totals: RunTotals, atMs: number): ProgressPoint => ({
  atMs,
  ended: endedCount(totals),
  turns: totals.turns,
  calls: totals.usage.calls,
});

/** Adds a point. Drops the oldest ones, but never the first: the rates of a slow run are measured from it. */
export function addPoint(
  points: readonly ProgressPoint[],
  point: ProgressPoint,
): readonly ProgressPoint[] {
  const last = points.at(-1);
  if (last && point.atMs - last.atMs < pointIntervalMs) return points;
  const [first, ...others] = points;
  return first && others.length >= maxPoints
    ? [first, ...others.slice(1), point]
    : [...points, point];
}

/** Null before a question has ended since the first point, and after a retry has reopened ended questions. */
export function ratesOf(
  points: readonly ProgressPoint[],
  now: ProgressPoint,
): ProgressRates | null {
  const since =
    points.findLast(
      ({ atMs, ended }) => now.atMs - atMs >= rateWindowMs && now.ended - ended >= rateWindowEnded,
    ) ?? points[0];
  if (since === undefined || now.ended <= since.ended || now.atMs <= since.atMs) return null;
  const seconds = (now.atMs - since.atMs) / 1000;
  return {
    turnsPerSecond: (now.turns - since.turns) / seconds,
    callsPerSecond: (now.calls - since.calls) / seconds,
    endedPerSecond: (now.ended - since.ended) / seconds,
  };
}

/** @returns null where it is unknown, and while the run is held */
export function timeLeftMs(
  { totals, summary }: Pick<RunProgress, 'totals' | 'summary'>,
  rates: ProgressRates | null,
): number | null {
  const left = summary.samples - endedCount(totals);
  if (rates === null || left === 0 || summary.parked) return null;
  return (left / rates.endedPerSecond) * 1000;
}
