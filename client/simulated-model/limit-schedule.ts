/** From that moment on a limit is `factor` times what it was set to. */
export interface LimitChange {
  readonly afterSeconds: number;
  readonly factor: number;
}

/** A limit that may change at known moments. */
export interface LimitSchedule {
  /** Units a minute. */
  readonly at: (nowMs: number) => number;
  /** Units that flow back between two moments. */
  readonly between: (fromMs: number, toMs: number) => number;
  /** How long it takes from `nowMs` until so many have flowed back, if nothing changes. */
  readonly msFor: (units: number, nowMs: number) => number;
}

export function limitSchedule(
  perMinute: number,
  changes: readonly LimitChange[],
  startMs: number,
): LimitSchedule {
  const steps = [
    { fromMs: -Infinity, perMinute },
    ...changes
      .map(({ afterSeconds, factor }) => ({
        fromMs: startMs + afterSeconds * 1000,
        perMinute: perMinute * factor,
      }))
      .sort((a, b) => a.fromMs - b.fromMs),
  ];
  const at = (nowMs: number): number =>
    steps.findLast(({ fromMs }) => fromMs <= nowMs)?.perMinute ?? perMinute;
  return {
    at,
    between: (fromMs, toMs) =>
      steps.reduce((units, step, index) => {
        const endMs = steps[index + 1]?.fromMs ?? Infinity;
        const ms = Math.min(toMs, endMs) - Math.max(fromMs, step.fromMs);
        return units + (Math.max(0, ms) * step.perMinute) / 60_000;
      }, 0),
    msFor: (units, nowMs) => (units * 60_000) / at(nowMs),
  };
}
