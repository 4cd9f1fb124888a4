import type { Judge } from '../judging/judge.js';
import type { PythonValue } from '../python/value.js';

/**
 * `strict` gives the reference's scores, its defects included. `default` avoids the defects, and gives the same score to
 * every answer that they do not affect.
 */
export type ScoringMode = 'strict' | 'default';

/** The named arguments of an evaluation function, the gold value among them. */
export type Options = ReadonlyMap<string, PythonValue>;

/** How two values are to be compared. Travels down unchanged into lists and dicts. */
export interface Comparison {
  readonly options: Options;
  readonly mode: ScoringMode;
  /** Which part of the evaluator this is: `0`, and `0.2` for the third part of a logical function. */
  readonly part: string;
  /** Null where there is none. */
  readonly judge: Judge | null;
}

/** The evaluator is wrong, not the answer: an option is missing, unknown or of the wrong type. */
export class EvaluatorError extends Error {}
