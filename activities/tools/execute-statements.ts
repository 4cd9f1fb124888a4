import {
  storedRows,
  tooLarge,
  type Executed,
  type Execution,
} from '../../domain/scoring/execution-match/execution.js';
import type { DatabaseRef } from '../../domain/stores/database.js';
import type { SqlOutcome, TablesPort } from '../ports/tools.js';

/**
 * Executes statements one after the other, for scoring.
 * @param timeoutMs - of each statement
 * @throws PortFailure if the database cannot be read
 */
export async function executeStatements(
  tables: Pick<TablesPort, 'queries'>,
  database: DatabaseRef,
  statements: readonly string[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Execution> {
  const request = { database, statements, maxRows: storedRows, timeoutMs };
  const answers = await tables.queries(request, signal);
  return {
    statements: answers.map(({ outcome }, index) => ({
      // An answer for each statement.
      sql: statements[index] ?? '',
      executed: executedOf(outcome, timeoutMs),
    })),
  };
}

function executedOf(outcome: SqlOutcome, timeoutMs: number): Executed {
  switch (outcome.kind) {
    case 'rows': {
      const { columns, rows, more } = outcome.result;
      return more ? tooLarge(outcome.result) : { kind: 'rows', result: { columns, rows, more } };
    }
    case 'sql-error':
      return { kind: 'failed', failure: outcome.failure, message: outcome.message };
    case 'sql-timeout':
      return { kind: 'failed', failure: 'timeout', message: `over ${timeoutMs / 1000} s` };
  }
}
