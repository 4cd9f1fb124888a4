import { endedCount, type CarriedTotals } from './run-totals.js';

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
export function notePoint(
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
