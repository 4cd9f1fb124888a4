import type { FinishedTurn, Step } from '../turn-record.js';
import type { DatabaseMode, TracedQuery } from './answer-trace.js';

/** What the model writes in a turn of a database method. */
export type DatabaseStage = 'plan' | 'queries' | 'repairs' | 'need' | 'query' | 'answer';

/** The settings that decide which turn comes next. */
export interface StageSettings {
  readonly maxTurns: number;
  /** Rounds in which failed queries of mode `sequential` are repaired. @defaultValue 0 */
  readonly sqlRepairs?: number;
}

/**
 * The stage of a turn, from the turns before it. A turn whose reply could not be read is asked again. In mode `iterative` a
 * round takes two turns, and the last turn is kept for the answer.
 */
export function stageOf(
  mode: DatabaseMode,
  turn: number,
  turns: readonly FinishedTurn[],
  { maxTurns, sqlRepairs = 0 }: StageSettings,
): DatabaseStage {
  if (mode === 'no-interaction' || turn >= maxTurns) return 'answer';
  const steps = stepsOf(turns);
  const last = steps.at(-1);
  if (mode === 'iterative') {
    if (last?.kind === 'enough') return 'answer';
    if (last?.kind === 'plan') return 'query';
    return turn + 2 <= maxTurns ? 'need' : 'answer';
  }
  if (last === undefined) return 'plan';
  const asked = steps.filter(({ kind }) => kind === 'queries').length;
  if (asked === 0) return 'queries';
  return asked <= sqlRepairs && failedQueries(turns).length > 0 ? 'repairs' : 'answer';
}

/** The steps of finished turns, in their order. */
export const stepsOf = (turns: readonly FinishedTurn[]): readonly Step[] =>
  turns.flatMap(({ reply: { reading } }) => (reading.kind === 'step' ? [reading.step] : []));

/** The queries of finished turns with their results, in the order in which they ran. */
export const queriesOf = (turns: readonly FinishedTurn[]): readonly TracedQuery[] =>
  turns.flatMap(({ queries }) => queries ?? []);

/** A query whose latest version failed. */
export interface FailedQuery {
  /** Of the first version, among all queries of the question. */
  readonly index: number;
  readonly query: TracedQuery;
}

export function failedQueries(turns: readonly FinishedTurn[]): readonly FailedQuery[] {
  const latest = new Map<number, TracedQuery>();
  for (const [index, query] of queriesOf(turns).entries()) {
    latest.set(query.repairOf ?? index, query);
  }
  return [...latest]
    .map(([index, query]) => ({ index, query }))
    .filter(({ query: { status } }) => status === 'error' || status === 'timeout');
}
