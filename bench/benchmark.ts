/** What a benchmark came to. */
export interface Findings {
  /** In Markdown, for people and for docs/. */
  readonly tables: readonly string[];
  /** The same for programs; must survive JSON. */
  readonly figures: unknown;
  /** What is not as it should be, a sentence each. */
  readonly problems: readonly string[];
}

/** A benchmark is a file here and a line in `main.ts`. */
export interface Benchmark {
  /** One line, for the list of benchmarks. */
  readonly summary: string;
  readonly run: (tell: (step: string) => void) => Promise<Findings>;
}

/** A table as Prettier lays it out: the first column is text, all others are numbers. */
export function markdownTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const widths = heading.map((_, column) =>
    Math.max(3, ...[heading, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const padded = (row: readonly string[]): string =>
    line(
      widths.map((width, column) => {
        const cell = row[column] ?? '';
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      }),
    );
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [padded(heading), line(rule), ...rows.map(padded)].join('\n');
}

/** A figure, and what it is to be. */
export interface Ratio {
  readonly name: string;
  readonly value: number;
  readonly limit: number;
  readonly isToBe: 'at most' | 'at least';
}

const isMet = ({ value, limit, isToBe }: Ratio): boolean =>
  isToBe === 'at most' ? value <= limit : value >= limit;

export const problemsOf = (ratios: readonly Ratio[]): readonly string[] =>
  ratios
    .filter((ratio) => !isMet(ratio))
    .map(
      ({ name, value, isToBe, limit }) =>
        `${name}: ${shown(value)}, which is to be ${isToBe} ${limit}`,
    );

const shown = (value: number): string => (value < 100 ? value.toFixed(2) : value.toFixed(0));

export const ratioTable = (ratios: readonly Ratio[]): string =>
  markdownTable(
    ['', 'measured', 'to be'],
    ratios.map((ratio) => [
      ratio.name,
      shown(ratio.value),
      `${ratio.isToBe === 'at most' ? '≤' : '≥'} ${ratio.limit}`,
    ]),
  );

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
