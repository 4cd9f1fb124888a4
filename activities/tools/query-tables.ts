import {
  sqlErrorObservation,
  sqlObservation,
  sqlTimeoutObservation,
} from '../../domain/observations/sql-observation.js';
import type { Observed } from '../../domain/observations/tool-outcome.js';
import type { ToolUse } from './tool-use.js';

/** RetrieveFromDatabase. */
export async function queryTables(
  { tables, store, style, timeoutMs, signal, timed }: ToolUse,
  { sql }: { readonly sql: string },
): Promise<Observed> {
  const request = { store: store.name, sql, maxRows: style.maxRows, timeoutMs };
  const outcome = await timed(tables.query(request, signal));
  switch (outcome.kind) {
    case 'rows':
      return sqlObservation(outcome.result, style);
    case 'sql-error':
      return sqlErrorObservation(outcome.failure, outcome.message);
    case 'sql-timeout':
      return sqlTimeoutObservation(timeoutMs);
  }
}
