/** From when to when a call was under way, in milliseconds since 1970. */
export interface CallSpan {
  readonly startMs: number;
  readonly endMs: number;
}

/** The most calls that were under way at once in each of equal parts of a time. */
export interface CallsInFlight {
  readonly startMs: number;
  /** Of one part. */
  readonly stepMs: number;
  readonly most: readonly number[];
}

/** Null where there were no calls. */
export function callsInFlight(spans: readonly CallSpan[], parts: number): CallsInFlight | null {
  if (spans.length === 0) return null;
  const startMs = spans.reduce((least, span) => Math.min(least, span.startMs), Infinity);
  const endMs = spans.reduce((most, span) => Math.max(most, span.endMs), -Infinity);
  const stepMs = Math.max(1, (endMs - startMs) / parts);
  const partOf = (ms: number): number => Math.min(parts - 1, Math.floor((ms - startMs) / stepMs));
  // One that ends where another begins makes room for it.
  const changes = spans
    .flatMap((span) => [
      { ms: span.startMs, change: 1 },
      { ms: span.endMs, change: -1 },
    ])
    .sort((a, b) => a.ms - b.ms || a.change - b.change);
  const most = new Array<number>(parts).fill(0);
  let inFlight = 0;
  let reached = 0;
  for (const { ms, change } of changes) {
    const part = partOf(ms);
    for (; reached < part; reached += 1) most[reached + 1] = inFlight;
    inFlight += change;
    most[part] = Math.max(most[part] ?? 0, inFlight);
  }
  return { startMs, stepMs, most };
}
