/**
 * The search attributes of runs and questions, all of type Keyword (a SQL-backed server has ten of them).
 * Embedded servers register them at start; other servers need `temporal operator search-attribute create`.
 */
export const searchAttributes = {
  run: 'TurnwiseRun',
  state: 'TurnwiseState',
  model: 'TurnwiseModel',
  method: 'TurnwiseMethod',
  store: 'TurnwiseStore',
  outcome: 'TurnwiseOutcome',
  failure: 'TurnwiseFailure',
} as const;
export type SearchAttribute = (typeof searchAttributes)[keyof typeof searchAttributes];
