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
