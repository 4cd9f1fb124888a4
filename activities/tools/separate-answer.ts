import { scratchTables } from '../../domain/building/scratch-tables.js';
import type { TableResult } from '../../domain/agent/observations/tool-outcome.js';
import {
  storedRows,
  type Executed,
  type Match,
  type Separation,
} from '../../domain/scoring/execution-match/execution.js';
import {
  copiedTable,
  same,
  sampleSql,
  statementWords,
} from '../../domain/scoring/separation/copied-tables.js';
import {
  differenceOf,
  matchToSeparate,
  insertsOf,
  mutatedCopy,
  mutations,
  type Copy,
} from '../../domain/scoring/separation/mutated-copies.js';
import type { DatabaseRef } from '../../domain/stores/database.js';
import type { ScratchPort, ScratchResult } from '../ports/building.js';
import type { DatabasesPort } from '../ports/stores.js';
import type { TablesPort } from '../ports/tools.js';

interface SeparationPorts {
  readonly tables: Pick<TablesPort, 'queries'> & { readonly scratch: ScratchPort };
  readonly databases: DatabasesPort;
}

/**
 * Looks for a difference between an answer by SQL and the gold that it matches, on small copies of the tables that they name.
 * @param timeoutMs - of each statement, and of each copy
 * @throws PortFailure if the database cannot be read
 */
export async function separateAnswer(
  { tables: { queries, scratch }, databases }: SeparationPorts,
  { database, match, timeoutMs }: { database: DatabaseRef; match: Match; timeoutMs: number },
  signal: AbortSignal,
): Promise<Separation> {
  const pair = matchToSeparate(match);
  if (pair === null) return { kind: 'alike', copies: 0 };
  const rowsOf = async (statements: readonly string[]): Promise<readonly TableResult['rows'][]> => {
    const answers = await queries({ database, statements, maxRows: storedRows, timeoutMs }, signal);
    return answers.map(({ outcome }) => (outcome.kind === 'rows' ? outcome.result.rows : []));
  };
  const { tables: described, engine = 'duckdb' } = await databases.description(database);
  const columns = new Set(
    described.flatMap((table) => table.columns.map(({ name }) => name.toLowerCase())),
  );
  const [schemaRows = []] = engine === 'sqlite' ? await rowsOf([schemaSql]) : [];
  const schema = schemaRows.map((row) => {
    const [type = '', name = '', sql = ''] = row.map((cell) =>
      typeof cell === 'string' ? cell : '',
    );
    return { type, name, sql, columns: [] };
  });
  const { names } = statementWords(pair.statements, columns);
  const views = schema.filter(({ type, name }) => type === 'view' && names.has(name.toLowerCase()));
  const words = statementWords([...pair.statements, ...views.map(({ sql }) => sql)], columns);
  const named = described.filter(({ name }) => words.names.has(name.toLowerCase()));
  const ordered = scratchTables({ tables: named }).creates.flatMap(
    ({ name }) => named.find((table) => table.name === name) ?? [],
  );
  const samples = await rowsOf(ordered.map((table) => sampleSql(table, engine, words)));
  const tables = ordered.map((table, at) =>
    copiedTable(table, ordered, engine, words, samples[at] ?? []),
  );
  // In SQLite as their authors have declared them. All references are kept by the rows.
  const declared = schema.filter(
    ({ type, name }) => type === 'table' && named.some((each) => same(each.name, name)),
  );
  const free = ordered.map((table) => ({ ...table, foreignKeys: [] }));
  const creates =
    engine === 'sqlite' ? [...declared, ...views] : scratchTables({ tables: free }).creates;
  const execute = async (inserts: readonly string[]): Promise<readonly Executed[]> => {
    const filling = { creates, orphans: [], inserts };
    const asked = { queries: pair.statements, maxRows: storedRows, timeoutMs };
    const outcome = await scratch.fill({ engine, ...filling, ...asked }, signal);
    return outcome.kind === 'filled' ? outcome.results.map(executedOf) : [];
  };
  let copies = 0;
  for (const mutation of Object.keys(mutations)) {
    const copy = mutatedCopy(tables, mutation, { seed: match.seed, counts: words.counts });
    const inserts = insertsOf(copy, engine);
    const first = await execute(inserts);
    if (first[1]?.kind !== 'rows') continue;
    copies += 1;
    if (differenceOf(pair, [first]) === null) continue;
    const turned = insertsOf(
      reordered(copy, (rows) => rows.toReversed()),
      engine,
    );
    const halves = insertsOf(reordered(copy, halvesTurned), engine);
    const orders = [first, await execute([...turned, ...unordered[engine]]), await execute(halves)];
    const difference = differenceOf(pair, orders);
    if (difference !== null) return { kind: 'luck', reason: `${mutation}: ${difference}`, inserts };
  }
  return { kind: 'alike', copies };
}

const schemaSql = "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('table', 'view')";

/** SQLite reads many tables in the order of their keys. */
const unordered = { duckdb: [], sqlite: ['PRAGMA reverse_unordered_selects = ON'] } as const;

const reordered = (copy: Copy, turn: <T>(rows: readonly T[]) => readonly T[]): Copy =>
  new Map([...copy].map(([table, rows]) => [table, turn(rows)]));

const halvesTurned = <T>(rows: readonly T[]): readonly T[] => [
  ...rows.slice(rows.length / 2),
  ...rows.slice(0, rows.length / 2),
];

const executedOf = (result: ScratchResult): Executed =>
  result.kind === 'rows'
    ? { kind: 'rows', result: { ...result.result, more: false } }
    : { kind: 'failed', failure: 'other', message: result.message };
