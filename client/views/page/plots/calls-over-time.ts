import { grouped, shortDuration } from '../../../../domain/formats/text.js';
import { colours, type CallSpan, type Plot, type PlottedRun } from './draw.js';

/** The highest number of concurrent calls in each of equally long parts of a run. */
export interface CallsInFlight {
  readonly startMs: number;
  /** The length of a part. */
  readonly stepMs: number;
  readonly most: readonly number[];
}

/** Null if there were no calls. */
export function callsInFlight(spans: readonly CallSpan[], parts: number): CallsInFlight | null {
  if (spans.length === 0) return null;
  const startMs = spans.reduce((least, span) => Math.min(least, span.startMs), Infinity);
  const endMs = spans.reduce((most, span) => Math.max(most, span.endMs), -Infinity);
  const stepMs = Math.max(1, (endMs - startMs) / parts);
  const partOf = (ms: number): number => Math.min(parts - 1, Math.floor((ms - startMs) / stepMs));
  // At equal times, ends come before starts, so that such calls do not overlap.
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

/** The number of parts of the plot. */
const parts = 150;
const rowsShown = 15;

/** Null if no call is stored. */
export function callsPlot({ calls }: PlottedRun): Plot | null {
  const over = callsInFlight(calls, parts);
  if (over === null) return null;
  const { stepMs, most } = over;
  const lengthMs = stepMs * parts;
  const [unit, unitMs] =
    lengthMs > 3 * 3_600_000
      ? (['hours', 3_600_000] as const)
      : lengthMs > 180_000
        ? (['minutes', 60_000] as const)
        : (['seconds', 1000] as const);
  const step = parts / rowsShown;
  return {
    text: {
      title: 'Calls in flight',
      words: `Concurrent model calls, from the first call to the last, ${shortDuration(lengthMs)} later: at most ${grouped(Math.max(...most))}.`,
      heads: ['from', 'at most'],
      rows: Array.from({ length: rowsShown }, (_, at) => [
        shortDuration(at * step * stepMs),
        grouped(Math.max(...most.slice(at * step, (at + 1) * step))),
      ]),
    },
    drawing: {
      height: 140,
      data: { values: most.map((inFlight, at) => ({ time: (at * stepMs) / unitMs, inFlight })) },
      mark: {
        type: 'area',
        interpolate: 'step-after',
        color: colours.soft,
        opacity: 1,
        line: { color: colours.accent, strokeWidth: 1 },
      },
      encoding: {
        x: { field: 'time', type: 'quantitative', title: `${unit} since the first call` },
        y: {
          field: 'inFlight',
          type: 'quantitative',
          title: 'calls',
          axis: { tickMinStep: 1, tickCount: 4 },
        },
      },
    },
  };
}
