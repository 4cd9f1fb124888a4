import {
  storedRows,
  type Executed,
  type Execution,
} from '../../domain/scoring/execution-match/execution.js';
import type { DatabaseRef } from '../../domain/stores/database.js';
import type { TablesPort } from '../ports/tools.js';

/**
 * Executes statements one after the other, for scoring.
 * @param timeoutMs - of each statement
 * @throws PortFailure if the database cannot be read
 */
export async function executeStatements(
  tables: Pick<TablesPort, 'query'>,
  database: DatabaseRef,
  statements: readonly string[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Execution> {
  const executed = [];
  for (const sql of statements) executed.push({ sql, executed: await execute(sql) });
  return { statements: executed };

  async function execute(sql: string): Promise<Executed> {
    const outcome = await tables.query({ database, sql, maxRows: storedRows, timeoutMs }, signal);
    switch (outcome.kind) {
      case 'rows': {
        const { columns, rows, more } = outcome.result;
        return more
          ? { kind: 'too-large', rows: rows.length }
          : { kind: 'rows', result: { columns, rows, more } };
      }
      case 'sql-error':
        return { kind: 'failed', failure: outcome.failure, message: outcome.message };
      case 'sql-timeout':
        return { kind: 'failed', failure: 'timeout', message: `over ${timeoutMs / 1000} s` };
    }
  }
}
