import type { Action } from '../../domain/agent/actions/action.js';
import { mostCountedRows } from '../../domain/agent/database-qa/prompts.js';
import {
  checkPicture,
  graphObservation,
  noPageObservation,
  noPaperObservation,
  pictureErrorObservation,
  pictureObservation,
  pictureTimeoutObservation,
  sqlErrorObservation,
  sqlObservation,
  sqlTimeoutObservation,
} from '../../domain/agent/observations/observation.js';
import type { Observed } from '../../domain/agent/observations/tool-outcome.js';
import type { Picture } from '../../domain/agent/turn-record.js';
import type { ToolUse } from './tool-use.js';

/** QueryGraph. A failure of the program is thrown, since the model cannot correct it. */
export async function queryGraph(
  { graph, store, graphTimeoutMs, signal, timed }: ToolUse,
  { query }: { readonly query: string },
): Promise<Observed & { readonly costUsd: number | null }> {
  const request = { store: store.name, query, timeoutMs: graphTimeoutMs };
  const { answer, costUsd } = await timed(graph.query(request, signal));
  return { ...graphObservation(answer), costUsd };
}

/** RetrieveFromDatabase. */
export async function queryTables(
  { tables, store, style, timeoutMs, signal, timed }: ToolUse,
  { sql }: { readonly sql: string },
): Promise<Observed> {
  const { name, fingerprint } = store;
  const database = { kind: 'store', name, fingerprint } as const;
  // The reference does not tell how many there are.
  const maxRows = style.strictness === 'strict' ? style.maxRows : mostCountedRows;
  const request = { database, sql, maxRows, timeoutMs };
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

/** ViewImage. */
export async function viewPage(
  { pictures, store, timeoutMs, signal, timed }: ToolUse,
  action: Extract<Action, { readonly kind: 'ViewImage' }>,
): Promise<Observed & { readonly image?: Picture }> {
  const check = checkPicture(action);
  if (check.kind === 'refused') return check.observed;
  const { asked } = check;
  const { name, fingerprint } = store;
  const request = { store: name, fingerprint, ...asked, timeoutMs };
  const outcome = await timed(pictures.ofPage(request, signal));
  switch (outcome.kind) {
    case 'picture':
      return { ...pictureObservation, image: outcome.picture };
    case 'no-paper':
      return noPaperObservation(asked);
    case 'no-page':
      return noPageObservation(asked);
    case 'picture-error':
      return pictureErrorObservation(outcome.message);
    case 'picture-timeout':
      return pictureTimeoutObservation(timeoutMs);
  }
}
