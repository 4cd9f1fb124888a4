import { describe, expect, it } from 'vitest';
import {
  addPoint,
  progressPoint,
  ratesOf,
  conditionOfAll,
  conditionOfWait,
  runCondition,
  runConditions,
  runProgress,
  type ProgressPoint,
  type LiveSummary,
  type RunCondition,
} from '../../../domain/runs/run-progress.js';
import {
  emptyRun,
  recordStarted,
  recordWaiting,
  type RunState,
  type WaitingQuestion,
} from '../../../domain/runs/run-state.js';
import { noTotals } from '../../../domain/runs/run-totals.js';
import { sampleKey } from '../../support/runs/example-records.js';

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

const keys = ['a', 'b'].map((name) => sampleKey(name));
const begun = recordStarted({ ...emptyRun, samples: 9, holdAfter: 2 }, keys);
const open = (state: RunState): LiveSummary => ({ kind: 'open', progress: runProgress(state, 3) });
const waiting = (reason: WaitingQuestion['reason'], state: RunState, key = keys[0]): RunState =>
  recordWaiting(state, {
    ...(key ?? sampleKey('a')),
    ...{ reason, message: 'why', until: null, need: null },
    failure: reason === 'outage' ? 'ModelUnavailable' : null,
  });
const failed: RunState = {
  ...begun,
  failedInRow: { count: 2, failure: 'ModelUnavailable', message: 'no route' },
};

describe('the condition of a run', () => {
  it.each<[string, RunCondition, LiveSummary]>([
    ['whose questions go on', 'running', open(begun)],
    ['that has just begun', 'running', open(emptyRun)],
    ['of which one question waits', 'running', open(waiting('outage', begun))],
    [
      'whose questions all wait for a service',
      'waiting',
      open(waiting('outage', waiting('outage', begun), keys[1])),
    ],
    ['that waits for a budget', 'held', open(waiting('budget', begun))],
    ['that waits for credit', 'held', open(waiting('quota', begun))],
    ['that failed in the same way again and again', 'held', open(failed)],
    ['that a person holds', 'paused', open({ ...begun, paused: true })],
    [
      'that a person holds in an outage',
      'paused',
      open({ ...waiting('quota', begun), paused: true }),
    ],
    ['whose workers do not answer', 'waiting', { kind: 'silent', workers: 1 }],
    ['without a worker', 'stopped', { kind: 'silent', workers: 0 }],
    ['that cannot be replayed', 'stopped', { kind: 'stuck', why: 'an error' }],
    ['that no server knows', 'stopped', { kind: 'not-open' }],
    ['without services', 'stopped', { kind: 'no-services' }],
  ])('%s is %s', (_what, condition, live) => {
    expect(runCondition('running', live)).toBe(condition);
  });

  it('of an ended run is in its files', () => {
    expect(runCondition('done', null)).toBe('done');
    expect(runCondition('cancelled', null)).toBe('stopped');
  });

  it.each<[WaitingQuestion['reason'], RunCondition]>([
    ['budget', 'held'],
    ['quota', 'held'],
    ['pause', 'paused'],
    ['outage', 'waiting'],
    ['rate-limit', 'waiting'],
    ['run', 'waiting'],
  ])('of what waits for %s is %s', (reason, condition) =>
    expect(conditionOfWait(reason)).toBe(condition),
  );

  it('of several is that of what is still to be done', () => {
    expect(conditionOfAll([...runConditions].reverse())).toBe('running');
    expect(conditionOfAll(['done', 'stopped'])).toBe('stopped');
    expect(conditionOfAll([])).toBe('done');
  });
});
