import {
  mostCountedRows,
  mostQueries,
  type ShownLimits,
} from '../../domain/agent/database-qa/prompts.js';
import {
  csvLine,
  resultOfFailure,
  resultOfRows,
  type QueryResult,
} from '../../domain/agent/database-qa/query-results.js';
import type { TracedQuery } from '../../domain/agent/database-qa/answer-trace.js';
import type { Step } from '../../domain/agent/turn-record.js';
import type { TableResult } from '../../domain/agent/observations/tool-outcome.js';
import { methodOf, methodNeeds } from '../../domain/agent/methods.js';
import { completionReserve } from '../../domain/agent/conversation.js';
import { countTokens } from '../../domain/models/tokens.js';
import { databaseOf, type RunManifest } from '../../domain/runs/run-manifest.js';
import type { DatasetItem } from '../../domain/scoring/dataset-item.js';
import { sum } from '../../domain/statistics/means.js';
import { type DatabaseRef } from '../../domain/stores/database.js';
import { renderDatabaseDdl, sqlName } from '../../domain/stores/database-schema.js';
import { PortFailure } from '../ports/port-failure.js';
import type { DatabasesPort } from '../ports/stores.js';
import type { SqlOutcome, TablesPort } from '../ports/tools.js';

/** The schema of a question's database, as DDL; null for methods over papers. */
export async function schemaOf(
  databases: DatabasesPort,
  manifest: RunManifest,
  item: DatasetItem,
): Promise<string | null> {
  if (methodNeeds(methodOf(manifest.config)).reads !== 'database') return null;
  return renderDatabaseDdl(await databases.description(requiredDatabase(manifest, item)));
}

/** The run of a question, as far as its database depends on it. */
type Asked = Pick<RunManifest, 'run' | 'config' | 'store' | 'databases'>;

/** Throws PortFailure('InvalidRun') for a question without a database: runs refuse it at their start. */
export function requiredDatabase(manifest: Asked, item: DatasetItem): DatabaseRef {
  const database = databaseOf(manifest, item);
  if (database !== null) return database;
  throw new PortFailure(
    'InvalidRun',
    `question ${item.uuid} of run ${manifest.run} names no database`,
  );
}

/** What running the queries of a step needs. */
interface QueryUse {
  readonly tables: TablesPort;
  readonly database: DatabaseRef;
  readonly timeoutMs: number;
  readonly shown: ShownLimits;
  readonly signal: AbortSignal;
}

type Queries = Extract<Step, { readonly kind: 'queries' }>;

/**
 * Runs the queries of a step one after the other. A query that fails does not stop the others. At most `most` are run; the
 * others are recorded as refused.
 */
export async function runQueries(
  use: QueryUse,
  { queries, round, repairOf }: Queries,
  most = mostQueries,
): Promise<readonly TracedQuery[]> {
  const { tables, database, timeoutMs, shown, signal } = use;
  const request = { database, statements: queries.slice(0, most), maxRows: mostCountedRows };
  const outcomes = await tables.queries({ ...request, timeoutMs }, signal);
  return queries.map((sql, index) => {
    const ran = outcomes[index];
    const result = ran ? resultOf(ran.outcome, timeoutMs, shown) : tooMany(most);
    return { sql, round, repairOf: repairOf?.[index] ?? null, ...result, ms: ran?.ms ?? null };
  });
}

const tooMany = (most: number): QueryResult =>
  resultOfFailure('refused', `too many: at most ${most} of a reply are run`);

function resultOf(outcome: SqlOutcome, timeoutMs: number, shown: ShownLimits): QueryResult {
  switch (outcome.kind) {
    case 'rows':
      return resultOfRows(outcome.result, shown);
    case 'sql-error':
      return resultOfFailure(outcome.failure === 'refused' ? 'refused' : 'error', outcome.message);
    case 'sql-timeout':
      return resultOfFailure('timeout', `no result after ${timeoutMs / 1000} seconds`);
  }
}

/** The context that is assumed for a model whose context length is not given. */
const usualContext = 128_000;

/**
 * All rows of all tables: for each table its name, a header and lines of CSV; tables in schema order, rows in storage order.
 * Throws PortFailure('ContextOverflow') with both sizes if they do not fit the model's context; no more rows are read than
 * that takes.
 */
export async function allRows(
  { tables, databases }: { readonly tables: TablesPort; readonly databases: DatabasesPort },
  manifest: Asked,
  item: DatasetItem,
  signal: AbortSignal,
): Promise<string> {
  const { config } = manifest;
  const database = requiredDatabase(manifest, item);
  const description = await databases.description(database);
  const room = (config.contextTokens ?? usualContext) - completionReserve(config);
  const all = sum(description.tables.map(({ rows }) => rows ?? 0));
  const blocks: string[] = [];
  let tokens = 0;
  let read = 0;
  const overflow = (): PortFailure => {
    const needed = read === 0 ? all : Math.round((tokens * all) / read);
    return new PortFailure(
      'ContextOverflow',
      `all rows of the database are about ${needed} tokens, and the context of ${config.contextTokens ?? `${usualContext} (assumed; --context-tokens gives it)`} leaves ${Math.max(0, room)} beside a reply`,
    );
  };
  // No row is shorter than a token.
  if (all > room) throw overflow();
  for (const { name, rows } of description.tables) {
    const request = {
      database,
      sql: `SELECT * FROM ${sqlName(name)}`,
      maxRows: (rows ?? room) + 1,
    };
    const timeoutMs = config.toolTimeoutMs;
    const result = rowsIn(await tables.query({ ...request, timeoutMs }, signal), name);
    const header = csvLine(result.columns.map((column) => column.name));
    const block = [`${name}:`, header, ...result.rows.map(csvLine)].join('\n');
    tokens += countTokens(block);
    read += result.rows.length;
    if (tokens > room || result.more) throw overflow();
    blocks.push(block);
  }
  return blocks.join('\n\n');
}

function rowsIn(outcome: SqlOutcome, table: string): TableResult {
  if (outcome.kind === 'rows') return outcome.result;
  const reason = outcome.kind === 'sql-error' ? outcome.message : 'it took too long';
  throw new PortFailure('StoreUnavailable', `The rows of table ${table} cannot be read: ${reason}`);
}
