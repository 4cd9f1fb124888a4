import { grouped, shortDuration } from '../../../../domain/formats/text.js';
import { resultsIn } from '../../../../domain/scoring/answer.js';
import { percentile } from '../../../../domain/statistics/means.js';
import { colours, type Plot, type PlottedRun } from './draw.js';

/** The number of durations between two bounds. */
export interface TimeBin {
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
