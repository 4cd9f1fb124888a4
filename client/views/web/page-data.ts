// What the pages are sent, as JSON.

/** A mean with its 95 % interval. */
export interface ShownScore {
  /** Empty for scores from 0 to 1. */
  readonly scale: string;
  readonly mean: number;
  /** Null where it is not known. */
  readonly interval: { readonly low: number; readonly high: number } | null;
}

export type RunState = 'running' | 'unfinished' | 'done' | 'cancelled';

export interface RunRow {
  readonly run: string;
  readonly state: RunState;
  readonly method: string;
  readonly model: string;
  readonly dataset: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** Null until it has been counted. */
  readonly ended: number | null;
  readonly samples: number;
  /** Questions that ended for outside reasons. */
  readonly failed: number;
  /** Null until they have been read. */
  readonly scores: readonly ShownScore[] | null;
  /** Null where it is not known. */
  readonly costUsd: number | null;
  readonly cost: string;
}

export interface RunsData {
  readonly home: string;
  readonly runs: readonly RunRow[];
}
