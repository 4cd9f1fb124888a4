import { grouped, shortDuration } from '../../../../domain/formats/text.js';
import { colours, type CallSpan, type Plot, type PlottedRun } from './draw.js';
import { resultsIn } from '../../../../domain/scoring/answer.js';
import { percentile } from '../../../../domain/statistics/means.js';
import type { RunTools } from '../../../../domain/runs/run-figures.js';

/** The highest number of concurrent calls in each of equally long parts of a run. */
interface CallsInFlight {
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

/** The number of durations between two bounds. */
interface TimeBin {
  readonly fromMs: number;
  readonly toMs: number;
  readonly count: number;
}

const binsPerDecade = 5;

/** A histogram with logarithmic bins, from the first to the last bin that is not empty. Times below 1 ms count as 1 ms. */
export function timeHistogram(timesMs: readonly number[]): readonly TimeBin[] {
  const counts = new Map<number, number>();
  for (const ms of timesMs) {
    const bin = Math.floor(Math.log10(Math.max(1, ms)) * binsPerDecade);
    counts.set(bin, (counts.get(bin) ?? 0) + 1);
  }
  if (counts.size === 0) return [];
  const first = Math.min(...counts.keys());
  const last = Math.max(...counts.keys());
  const bound = (bin: number): number => 10 ** (bin / binsPerDecade);
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const bin = first + index;
    return { fromMs: bound(bin), toMs: bound(bin + 1), count: counts.get(bin) ?? 0 };
  });
}

/** The latency of model calls and tools; null if none is stored. */
export function latencyPlot({ reported: { answers }, calls }: PlottedRun): Plot | null {
  const tools = resultsIn(answers).map(({ tools: of }) => of);
  const each = [
    { name: 'model', times: calls.map(({ startMs, endMs }) => endMs - startMs) },
    { name: 'SQL', times: tools.flatMap(({ sqlMs }) => sqlMs?.each ?? []) },
    { name: 'search', times: tools.flatMap(({ searchMs }) => searchMs?.each ?? []) },
  ].filter(({ times }) => times.length > 0);
  if (each.length === 0) return null;
  return {
    text: {
      title: 'Latency',
      words: `How long calls took, on a logarithmic scale. ${each
        .map(
          ({ name, times }) =>
            `${name}: half within ${shortDuration(percentile(times, 50))}, 95 % within ${shortDuration(percentile(times, 95))}`,
        )
        .join('; ')}.`,
      heads: ['calls of', 'number', 'median', '95 % within', 'longest'],
      rows: each.map(({ name, times }) => [
        name,
        grouped(times.length),
        ...[50, 95, 100].map((percent) => shortDuration(percentile(times, percent))),
      ]),
    },
    drawing: {
      width: 330,
      height: 48,
      data: {
        values: each.flatMap(({ name, times }) =>
          timeHistogram(times).map(({ fromMs, toMs, count }) => ({
            name,
            from: fromMs / 1000,
            to: toMs / 1000,
            count,
          })),
        ),
      },
      mark: { type: 'bar', color: colours.accent, binSpacing: 1 },
      encoding: {
        row: {
          field: 'name',
          type: 'nominal',
          sort: each.map(({ name }) => name),
          title: null,
          header: {
            labelAngle: 0,
            labelAlign: 'left',
            labelColor: colours.ink,
            labelFontSize: 12,
          },
          spacing: 10,
        },
        x: {
          field: 'from',
          type: 'quantitative',
          scale: { type: 'log' },
          title: 'seconds',
          axis: { format: '~g', grid: false, values: [0.001, 0.01, 0.1, 1, 10, 100, 1000] },
        },
        x2: { field: 'to' },
        y2: { datum: 0 },
        y: {
          field: 'count',
          type: 'quantitative',
          title: null,
          axis: { tickCount: 2, grid: false },
        },
      },
      resolve: { scale: { y: 'independent' } },
    },
  };
}

const classesShown = 15;

/** Failures of tools and unreadable replies, by class; null if they are not stored. */
export function toolErrorsPlot({ reported: { tools } }: PlottedRun): Plot | null {
  if (tools === null) return null;
  const errors = errorClasses(tools);
  const total = errors.reduce((sum, { count }) => sum + count, 0);
  const shown = errors.slice(0, classesShown);
  const empty = `${grouped(tools.emptyResults)} statements and searches found nothing, ${grouped(tools.repeatedQueries)} were exact repetitions.`;
  return {
    text: {
      title: 'Tool errors',
      words: `${
        errors[0]
          ? `${grouped(total)} in all, most of them ${errors[0].name} (${grouped(errors[0].count)}). `
          : 'No tool failed, and every reply could be read. '
      }${empty}`,
      heads: ['error', 'number'],
      rows: errors.map(({ name, count }) => [name, grouped(count)]),
    },
    drawing:
      shown.length === 0
        ? null
        : {
            width: 260,
            height: { step: 20 },
            data: { values: shown },
            mark: { type: 'bar', color: colours.accent, height: { band: 0.7 } },
            encoding: {
              y: { field: 'name', type: 'nominal', sort: null, title: null },
              x: {
                field: 'count',
                type: 'quantitative',
                title: 'errors',
                axis: { tickMinStep: 1, tickCount: 5 },
              },
            },
          },
  };
}

const errorClasses = (
  tools: RunTools,
): readonly { readonly name: string; readonly count: number }[] =>
  Object.entries({
    SQL: tools.sqlErrors,
    search: tools.searchErrors,
    picture: tools.imageErrors,
    calculation: tools.calculationErrors,
    reply: tools.parseErrors,
  })
    .flatMap(([tool, counts]) =>
      Object.entries(counts).map(([name, count]) => ({ name: `${tool}, ${name}`, count })),
    )
    .sort((a, b) => b.count - a.count);
