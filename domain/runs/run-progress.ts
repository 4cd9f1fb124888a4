import { z } from 'zod';
import { amountSchema, capSchema } from '../budget/amount.js';
import { heldOf, spentOf } from '../budget/ledger.js';
import { sampleKeySchema } from '../ids.js';
import type { WaitReason } from './question-ref.js';
import type { RunManifest } from './run-manifest.js';
import {
  blockReasons,
  failedInRowSchema,
  heldBy,
  isParked,
  waitingQuestionSchema,
  type RunState,
} from './run-state.js';
import { endedCount, runTotalsSchema, type RunTotals } from './run-totals.js';
import type { SlowQuestion } from './workflow-details.js';

/** The state of a run in a few figures: the result of every update that pauses, resumes or tunes it. */
const runSummarySchema = z.object({
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

/** What a run, or the building of a dataset, does, in the one word that every place shows. */
export const runConditions = ['running', 'waiting', 'held', 'paused', 'stopped', 'done'] as const;
export type RunCondition = (typeof runConditions)[number];

/** What the server says of a run that has not ended. */
export type LiveState = UnansweredState | OpenState;

export interface OpenState {
  readonly kind: 'open';
  readonly progress: RunProgress;
  /** Questions in flight without a new turn for a while, the slowest first. */
  readonly slow: readonly SlowQuestion[];
}

export type UnansweredState =
  /** No services run, so no worker continues the run. */
  | { readonly kind: 'no-services' }
  /** The server has no open workflow of the run. */
  | { readonly kind: 'not-open' }
  /** The workflow is open and no worker can go on with it. */
  | { readonly kind: 'stuck'; readonly why: string }
  /** The workflow is open and did not answer in time. */
  | { readonly kind: 'silent'; readonly workers: number };

/** As much as the word needs. */
export type LiveSummary =
  UnansweredState | { readonly kind: 'open'; readonly progress: Pick<RunProgress, 'summary'> };

/**
 * - `running`: questions go on.
 * - `waiting`: for something that comes back by itself, such as a service or a worker.
 * - `held`: no question goes on until a person mends something, pays or raises a budget.
 * - `paused`: by a person.
 * - `stopped`: nothing works on it, and it can be continued. So is a cancelled run.
 * - `done`: every question has ended.
 * @param live - null where the run has ended
 */
export function runCondition(
  status: RunManifest['status'],
  live: LiveSummary | null,
): RunCondition {
  if (status === 'done') return 'done';
  if (status === 'cancelled') return 'stopped';
  if (live?.kind === 'open') return conditionOf(live.progress.summary);
  return live?.kind === 'silent' && live.workers > 0 ? 'waiting' : 'stopped';
}

/** Behind the word for a run that has ended: why. */
export const endedReason = (status: RunManifest['status']): string =>
  status === 'cancelled' ? ': cancelled' : '';

function conditionOf({ heldBy, inFlight, waiting }: RunSummary): RunCondition {
  switch (heldBy) {
    case 'paused':
      return 'paused';
    case 'failures':
      return 'held';
    case 'budget':
    case 'quota':
    case 'outage':
      return conditionOfWait(heldBy);
    case 'stopping':
    case null:
      return inFlight > 0 && waiting === inFlight ? 'waiting' : 'running';
  }
}

/** Values of the search attribute of a run's state. A list of workflows then shows those that need somebody. */
export const runAttributes = ['run', 'held', 'paused'] as const;

/** `run` while no person is needed: what waits goes on by itself, often soon, and each change costs an event. */
export function runAttribute(summary: RunSummary): (typeof runAttributes)[number] {
  const condition = conditionOf(summary);
  return condition === 'held' || condition === 'paused' ? condition : 'run';
}

/** Of what waits and cannot go on without that. */
export function conditionOfWait(reason: WaitReason): RunCondition {
  switch (reason) {
    case 'budget':
    case 'quota':
      return 'held';
    case 'pause':
      return 'paused';
    case 'rate-limit':
    case 'run':
    case 'outage':
    case 'batch':
      return 'waiting';
  }
}

/** Of several: what is still to be done tells more than what has been. */
export const conditionOfAll = (conditions: readonly RunCondition[]): RunCondition =>
  runConditions.find((condition) => conditions.includes(condition)) ?? 'done';
