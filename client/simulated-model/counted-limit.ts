import type { LimitSchedule } from './limit-schedule.js';

/** One limit, as a provider counts what is used of it. Times may come from any clock that does not go back. */
export interface CountedLimit {
  readonly perMinute: (nowMs: number) => number;
  /** 0 where `cost` is admitted now. */
  readonly waitFor: (cost: number, nowMs: number) => number;
  readonly take: (cost: number, nowMs: number) => void;
  readonly remaining: (nowMs: number) => number;
  /** Until all is there again. */
  readonly resetMs: (nowMs: number) => number;
}

/** Allowance flows back all the time, up to `burstSeconds` worth of it. What is refused costs nothing. */
export function leakyBucket(
  schedule: LimitSchedule,
  burstSeconds: number,
  startMs: number,
): CountedLimit {
  const capacity = (nowMs: number): number => Math.max(1, (schedule.at(nowMs) * burstSeconds) / 60);
  let level = capacity(startMs);
  let atMs = startMs;
  const levelAt = (nowMs: number): number =>
    Math.min(capacity(nowMs), level + schedule.between(atMs, nowMs));
  return {
    perMinute: schedule.at,
    // A request larger than the bucket is admitted by a full one and leaves it in debt: else it would wait for ever.
    waitFor: (cost, nowMs) => {
      const missing = Math.min(cost, capacity(nowMs)) - levelAt(nowMs);
      return missing <= 1e-9 ? 0 : Math.ceil(schedule.msFor(missing, nowMs));
    },
    take: (cost, nowMs) => {
      level = levelAt(nowMs) - cost;
      atMs = nowMs;
    },
    remaining: levelAt,
    resetMs: (nowMs) => schedule.msFor(capacity(nowMs) - levelAt(nowMs), nowMs),
  };
}

const minuteMs = 60_000;

/** All of the allowance comes at once, at the turn of each minute since `startMs`. */
export function minuteWindow(schedule: LimitSchedule, startMs: number): CountedLimit {
  let minute = 0;
  let used = 0;
  const turn = (nowMs: number): void => {
    const now = Math.floor((nowMs - startMs) / minuteMs);
    if (now === minute) return;
    minute = now;
    used = 0;
  };
  const resetMs = (nowMs: number): number => {
    turn(nowMs);
    return startMs + (minute + 1) * minuteMs - nowMs;
  };
  const remaining = (nowMs: number): number => {
    turn(nowMs);
    return schedule.at(nowMs) - used;
  };
  return {
    perMinute: schedule.at,
    // As above: a request larger than the limit is admitted by an unused minute.
    waitFor: (cost, nowMs) =>
      Math.min(cost, schedule.at(nowMs)) <= remaining(nowMs) ? 0 : Math.ceil(resetMs(nowMs)),
    take: (cost, nowMs) => {
      turn(nowMs);
      used += cost;
    },
    remaining,
    resetMs,
  };
}
