import { defaultShownLimits } from '../../domain/agent/database-qa/prompts.js';
import { resultOfRows } from '../../domain/agent/database-qa/query-results.js';
import type { TableResult } from '../../domain/agent/observations/tool-outcome.js';
import type { ShownResult } from '../../domain/building/build.js';
import { allRowsSql, scratchTables } from '../../domain/building/scratch-tables.js';
import type { DescribedDatabase } from '../../domain/stores/database.js';
import { statementsOf } from '../../domain/formats/sql.js';
import type { ScratchPort } from '../ports/building.js';

/** For all statements of an item together. */
const timeoutMs = 30_000;
/** More rows than a person can inspect. */
const mostRows = 500;

type Tried =
  | {
      readonly kind: 'runs';
      /** The tables with their rows. */
      readonly tables: readonly ShownResult[];
      /** Of the queries. */
      readonly results: readonly ShownResult[];
    }
  | { readonly kind: 'fails'; readonly message: string };

/** Fills an empty database of a schema with rows, and asks it. */
export async function tryRows(
  scratch: ScratchPort,
  {
    database,
    rows,
    queries,
  }: { readonly database: DescribedDatabase; readonly rows: string; readonly queries: string },
  signal: AbortSignal,
): Promise<Tried> {
  const { creates, orphans } = scratchTables(database);
  const asked = statementsOf(queries);
  const outcome = await scratch.fill(
    { creates, orphans, inserts: statementsOf(rows), queries: asked, maxRows: mostRows, timeoutMs },
    signal,
  );
  if (outcome.kind === 'failed') return { kind: 'fails', message: outcome.message };
  const { tables, results } = outcome;
  if (tables.every(({ result }) => result.rows.length === 0)) {
    return { kind: 'fails', message: 'The statements insert no rows.' };
  }
  const full = tables.find(({ result }) => result.more);
  if (full !== undefined) {
    return {
      kind: 'fails',
      message: `Table ${full.name} has more than ${mostRows} rows, which nobody can inspect.`,
    };
  }
  return {
    kind: 'runs',
    tables: tables.map(({ name, result }) => shownRows(allRowsSql(name), result, mostRows)),
    results: results.map((each, index) =>
      each.kind === 'rows'
        ? shownRows(asked[index] ?? '', each.result, defaultShownLimits.rows)
        : { sql: asked[index] ?? '', status: 'error', rows: 0, shown: `Error: ${each.message}` },
    ),
  };
}

function shownRows(sql: string, result: TableResult, mostShown: number): ShownResult {
  const { rows, shown } = resultOfRows(result, { ...defaultShownLimits, rows: mostShown });
  return { sql, status: rows === 0 ? 'empty' : 'rows', rows, shown };
}

/** What is wrong with queries that shall answer a question; null if each returns rows. */
export function queriesProblem(results: readonly ShownResult[]): string | null {
  const faults = results.flatMap(({ sql, status, shown }, index) =>
    status === 'rows'
      ? []
      : [`Query ${index + 1} (${sql}): ${status === 'empty' ? 'it returns no rows' : shown}`],
  );
  return faults.length === 0 ? null : faults.join('\n');
}
