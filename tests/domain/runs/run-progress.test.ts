import { describe, expect, it } from 'vitest';
import {
  addPoint,
  progressPoint,
  ratesOf,
  type ProgressPoint,
} from '../../../domain/runs/run-progress.js';
import { noTotals } from '../../../domain/runs/run-totals.js';

/** A point at so many seconds, of a run in which each question takes two turns and three calls. */
const point = (seconds: number, ended: number): ProgressPoint =>
  progressPoint(
    {
      ...noTotals,
      outcomes: { answered: ended },
      turns: 2 * ended,
      usage: { ...noTotals.usage, calls: 3 * ended },
    },
    seconds * 1000,
  );

describe('ratesOf', () => {
  it('goes by the last minute where enough ended in it', () => {
    const points = [point(0, 0), point(100, 5), point(130, 10), point(140, 15)];
    expect(ratesOf(points, point(200, 65))).toEqual({
      endedPerSecond: 50 / 60,
      turnsPerSecond: 100 / 60,
      callsPerSecond: 150 / 60,
    });
  });

  it('looks further back where little ended, and to the beginning where it must', () => {
    const points = [point(0, 0), point(100, 55), point(140, 60)];
    expect(ratesOf(points, point(200, 65))?.endedPerSecond).toBe(0.1);
    expect(ratesOf([point(0, 0), point(150, 1)], point(200, 2))?.endedPerSecond).toBe(0.01);
  });

  it('says nothing before anything has ended, or when ends were taken back', () => {
    expect(ratesOf([], point(5, 0))).toBeNull();
    expect(ratesOf([point(0, 3)], point(50, 3))).toBeNull();
    expect(ratesOf([point(0, 3)], point(50, 1))).toBeNull();
  });
});

it('keeps the first point and the last ones, at some distance', () => {
  let points: readonly ProgressPoint[] = [];
  for (let second = 0; second < 3000; second += 1) points = addPoint(points, point(second, second));
  expect(points).toHaveLength(601);
  expect(points[0]?.atMs).toBe(0);
  expect(points.at(-1)?.atMs).toBe(2_998_000);
  expect(points[1]?.atMs).toBe(2_998_000 - 599 * 2000);
});
