import type { SqlOutcome, SqlRequest, TablesPort } from '../../../activities/ports/tools.js';

type TextsRequest = Parameters<TablesPort['texts']>[0];

/** Answers SQL as it was told and knows the given texts; records what it was asked, and throws when asked more. */
export class FakeTables implements TablesPort {
  readonly statements: SqlRequest[] = [];
  readonly lookups: TextsRequest[] = [];
  readonly #outcomes: (SqlOutcome | Error)[];
  readonly #texts: Readonly<Record<string, string>>;

  constructor(
    outcomes: readonly (SqlOutcome | Error)[] = [],
    texts: Readonly<Record<string, string>> = {},
  ) {
    this.#outcomes = [...outcomes];
    this.#texts = texts;
  }

  readonly query = (request: SqlRequest): Promise<SqlOutcome> => {
    this.statements.push(request);
    const outcome = this.#outcomes.shift();
    if (outcome === undefined) throw new Error('the fake tables were asked more than expected');
    return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
  };

  /** One after the other; a failure of the database ends it. */
  readonly queries: TablesPort['queries'] = async ({ statements, ...request }) => {
    const answers = [];
    for (const sql of statements) {
      answers.push({ outcome: await this.query({ ...request, sql }), ms: 1 });
    }
    return answers;
  };

  readonly texts = (request: TextsRequest): Promise<ReadonlyMap<string, string>> => {
    this.lookups.push(request);
    const known = Object.entries(this.#texts);
    return Promise.resolve(new Map(known.filter(([key]) => request.primaryKeys.includes(key))));
  };
}
