/** One line of a benchmark's table. */
export interface Measurement {
  readonly name: string;
  readonly calls: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p95: number;
  /** What the median is to stay under, in milliseconds; null for what is only there to compare with. */
  readonly limitMs: number | null;
}

/** A benchmark is a file here and a line in `main.ts`. */
export interface Benchmark {
  /** One line, for the list of benchmarks. */
  readonly summary: string;
  readonly run: (tell: (step: string) => void) => Promise<readonly Measurement[]>;
}
