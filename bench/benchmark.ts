/** Tells what a benchmark is doing. */
export type Log = (step: string) => void;

/** The result of a benchmark. */
export interface Findings {
  /** Markdown, for the terminal and for docs/. */
  readonly tables: readonly string[];
  /** The same figures for programs; must survive JSON. */
  readonly figures: unknown;
  /** One sentence for each bound that does not hold. */
  readonly problems: readonly string[];
}

/** What the command line says beside the names of benchmarks. */
export interface BenchmarkOptions {
  /** `ingest`: papers; otherwise model calls. @defaultValue the benchmark's own number */
  readonly calls?: number;
  /** `scale`, `resume`, `chaos-machines`: questions of the run. @defaultValue the benchmark's own number */
  readonly questions?: number;
  /** `scale`, `resume`, `chaos-machines`: turns of a question. @defaultValue 2, 10 and 10 */
  readonly turns?: number;
  /** `chaos-machines`: seconds that Milvus is down. @defaultValue 600 */
  readonly 'milvus-down'?: number;
  /** `chaos-machines`: seconds that the key is refused. @defaultValue 300 */
  readonly 'key-refused'?: number;
  /** `chaos-machines`: seconds that the object store is down. @defaultValue 60 */
  readonly 'objects-down'?: number;
  /** `extraction`, `ingest`, `retrieval`: a folder of papers; of `extraction` with their sources beside them. */
  readonly papers?: string;
  /** `extraction`: a folder with `tables.json`, the cells of the tables of some PDFs. */
  readonly tables?: string;
  /** `extraction`: the beginning of the names of the measures wanted. @defaultValue all */
  readonly only?: string;
  /** `extraction`: a part of the names of the papers wanted. @defaultValue all */
  readonly paper?: string;
  /** `extraction`: show for each measure the five papers that do worst. */
  readonly worst?: boolean;
}

/** To add a benchmark, add a file to this folder and a line to `main.ts`. */
export interface Benchmark {
  /** One line, for the list of benchmarks. */
  readonly summary: string;
  readonly run: (log: Log, options: BenchmarkOptions) => Promise<Findings>;
}

/** A Markdown table in Prettier's layout. The first column is text, the others are numbers. */
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

/** A measured value and its bound. */
export interface Ratio {
  readonly name: string;
  readonly value: number;
  readonly limit: number;
  readonly bound: 'at most' | 'at least';
}

export const atMost = (name: string, value: number, limit: number): Ratio => ({
  ...{ name, value, limit, bound: 'at most' },
});
export const atLeast = (name: string, value: number, limit: number): Ratio => ({
  ...{ name, value, limit, bound: 'at least' },
});

export const problemsOf = (ratios: readonly Ratio[]): readonly string[] =>
  ratios.flatMap(({ name, value, bound, limit }) =>
    (bound === 'at most' ? value <= limit : value >= limit)
      ? []
      : [`${name}: ${shown(value)}, but must be ${bound} ${limit}`],
  );

/** @param tables - more of them, after the one of the ratios */
export const ratioFindings = (
  ratios: readonly Ratio[],
  figures: object,
  ...tables: readonly string[]
): Findings => ({
  tables: [ratioTable(ratios), ...tables],
  figures: { ...figures, ratios },
  problems: problemsOf(ratios),
});

const shown = (value: number): string => (value < 100 ? value.toFixed(2) : value.toFixed(0));

const ratioTable = (ratios: readonly Ratio[]): string =>
  markdownTable(
    ['', 'measured', 'limit'],
    ratios.map(({ name, value, limit, bound }) => [
      name,
      shown(value),
      `${bound === 'at most' ? '≤' : '≥'} ${limit}`,
    ]),
  );

/** The duration of the calls of one subject. */
export interface Measurement {
  readonly name: string;
  readonly calls: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p95: number;
  /** The median must stay under this many milliseconds; null if the subject serves only as a comparison. */
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
        : [`${name}: the median is ${p50} ms, but must stay under ${limitMs} ms`],
    ),
  };
}
