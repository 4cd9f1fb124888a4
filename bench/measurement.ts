import type { Findings } from './benchmark.js';
import { markdownTable } from './markdown-table.js';

/** How long the calls of one kind took. */
export interface Measurement {
  readonly name: string;
  readonly calls: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p95: number;
  /** What the median is to stay under, in milliseconds; null for what is only there to compare with. */
  readonly limitMs: number | null;
}

export function measurementFindings(measurements: readonly Measurement[]): Findings {
  const rows = measurements.map(({ name, calls, p50, p95, limitMs }) => [
    name,
    String(calls),
    p50.toFixed(2),
    p95.toFixed(2),
    limitMs === null ? '' : String(limitMs),
  ]);
  return {
    tables: [markdownTable(['', 'calls', 'median ms', '95 % ms', 'limit ms'], rows)],
    figures: measurements,
    problems: measurements.flatMap(({ name, p50, limitMs }) =>
      limitMs === null || p50 < limitMs
        ? []
        : [`${name} takes ${p50} ms at the median, which is to stay under ${limitMs} ms`],
    ),
  };
}
