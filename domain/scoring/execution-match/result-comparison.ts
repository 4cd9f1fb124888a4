import type { TableResult } from '../../agent/observations/tool-outcome.js';

/** What the rules for results of queries look at. All results must have all their rows. */
export interface ResultComparison {
  readonly predicted: TableResult;
  /** The predicted result must equal one of them. */
  readonly golds: readonly TableResult[];
  /** `multiset` and `spider` look for an ORDER BY in it. */
  readonly goldSql: string;
  /** What `withKeys` of its order returned, where that was executed: `multiset` sees there which rows tie. */
  readonly goldKeys?: TableResult | null;
  /** Whether the order of rows counts under `livesql`. @defaultValue false */
  readonly ordered?: boolean;
  /** Whether the order of rows does not count under `spider2-lite` and `spider2-dbt`. @defaultValue false */
  readonly ignoreOrder?: boolean;
  /**
   * Positions, from 0, of the columns of a gold that count under `spider2-lite` and `spider2-dbt`, for all golds or for each
   * one. An empty list stands for all columns, a negative position counts from the end. @defaultValue []
   */
  readonly conditionColumns?: readonly number[] | readonly (readonly number[])[];
}

/** A comparison with one of the golds. */
export interface GoldComparison extends Omit<ResultComparison, 'golds'> {
  readonly gold: TableResult;
}

/** `reason` says in a short sentence why two results are not equal. */
export type ExecutionMatch =
  { readonly match: true } | { readonly match: false; readonly reason: string };

export const matched: ExecutionMatch = { match: true };
export const unmatched = (reason: string): ExecutionMatch => ({ match: false, reason });

/** Null if both results have as many rows, and as many columns. */
export function differentSize(predicted: TableResult, gold: TableResult): ExecutionMatch | null {
  for (const part of ['rows', 'columns'] as const) {
    const [given, expected] = [predicted[part].length, gold[part].length];
    if (given !== expected) return unmatched(`Number of ${part}: ${given} instead of ${expected}.`);
  }
  return null;
}
