/** The most queries of a reply that run. The others are recorded as refused. */
export const mostQueries = 20;

/** Rows beyond these are not counted. */
export const mostCountedRows = 10_000;

/** How much of a result the model is shown. */
export interface ShownLimits {
  readonly rows: number;
  /** Of cl100k_base. */
  readonly tokens: number;
}

/** @defaultValue as the specification has them: 50 rows and 4,000 tokens */
export const defaultShownLimits: ShownLimits = { rows: 50, tokens: 4000 };
