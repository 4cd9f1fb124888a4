import { StatementType, type DuckDBConnection } from '@duckdb/node-api';
import type { ScratchOutcome, ScratchResult } from '../../../activities/ports/building.js';
import { allRowsSql, type ScratchTable } from '../../../domain/building/scratch-tables.js';
import { sqlName } from '../../../domain/stores/database-schema.js';
import { modelMessage, refusalOf } from './allowed-statement.js';
import type { ScratchQuestion } from './messages.js';
import { hardening, noExtensions, withConnection } from './open-store.js';
import { readRows } from './rows.js';

/**
 * Fills a database in memory and asks it. The database knows no files and no network, and is gone afterwards. Of the text of an
 * INSERT only the names of table and columns and one SELECT or VALUES are used, each of which is checked: nothing else can
 * stand in what is executed.
 */
export async function fillScratch(
  { creates, orphans, inserts, queries, maxRows }: ScratchQuestion,
  memoryMb: number,
): Promise<ScratchOutcome> {
  const options = {
    ...{ memory_limit: `${memoryMb}MB`, threads: '1', max_temp_directory_size: '0B' },
    ...noExtensions,
  };
  return withConnection(':memory:', options, async (connection) => {
    for (const statement of hardening) await connection.run(statement);
    const problem =
      (await createAll(connection, creates)) ??
      (await insertAll(connection, creates, inserts)) ??
      (await firstOrphan(connection, orphans));
    if (problem !== null) return { kind: 'failed', message: problem };
    const tables: { name: string; result: Awaited<ReturnType<typeof readRows>> }[] = [];
    for (const { name } of creates) {
      const result = await readRows(await connection.stream(allRowsSql(name)), maxRows);
      tables.push({ name, result });
    }
    const results: ScratchResult[] = [];
    for (const sql of queries) results.push(await ask(connection, sql, maxRows));
    return { kind: 'filled', tables, results };
  });
}

/** Resolves to what is wrong with the schema; null if all tables are there. */
async function createAll(
  connection: DuckDBConnection,
  creates: readonly ScratchTable[],
): Promise<string | null> {
  for (const { name, sql } of creates) {
    try {
      await connection.run(sql);
    } catch (error) {
      return `Table ${name} cannot be created: ${modelMessage(error)}`;
    }
  }
  return null;
}

/** Inserts in the order of the tables, whatever the order of the statements. Resolves to what is wrong; null if all have run. */
async function insertAll(
  connection: DuckDBConnection,
  creates: readonly ScratchTable[],
  inserts: readonly string[],
): Promise<string | null> {
  const read: { readonly place: number; readonly number: number; readonly sql: string }[] = [];
  for (const [index, statement] of inserts.entries()) {
    const insert = await readInsert(connection, creates, statement);
    if ('problem' in insert) return told(index + 1, statement, insert.problem);
    read.push({ ...insert, number: index + 1 });
  }
  const ordered = [...read].sort((a, b) => a.place - b.place || a.number - b.number);
  for (const { sql, number } of ordered) {
    try {
      const prepared = await connection.prepare(sql);
      if (prepared.statementType !== StatementType.INSERT) throw new Error('not an INSERT');
      await prepared.run();
    } catch (error) {
      return told(number, inserts[number - 1] ?? '', modelMessage(error));
    }
  }
  return null;
}

const told = (number: number, statement: string, problem: string): string => {
  const text = statement.replaceAll(/\s+/g, ' ');
  return `Statement ${number} (${text.length > 120 ? `${text.slice(0, 120)}…` : text}): ${problem}`;
};

const name = String.raw`"(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*`;
const insertPattern = new RegExp(
  String.raw`^INSERT\s+INTO\s+(?:main\s*\.\s*)?(?<table>${name})\s*(?:\((?<columns>\s*(?:${name})\s*(?:,\s*(?:${name})\s*)*)\))?\s*(?<source>(?:VALUES|SELECT|WITH|FROM)\b.*|\(.*)$`,
  'isu',
);
const form = 'only INSERT INTO table (columns) VALUES … or SELECT … can be run';

/** An INSERT as it is executed, built anew from its checked parts. */
async function readInsert(
  connection: DuckDBConnection,
  creates: readonly ScratchTable[],
  statement: string,
): Promise<{ readonly place: number; readonly sql: string } | { readonly problem: string }> {
  const { table = '', columns, source = '' } = insertPattern.exec(statement)?.groups ?? {};
  if (source === '') return { problem: form };
  const place = creates.findIndex((each) => isSame(each.name, bare(table)));
  const target = creates[place];
  if (target === undefined) return { problem: `there is no table ${bare(table)}` };
  const named =
    columns === undefined
      ? null
      : [...columns.matchAll(new RegExp(name, 'gu'))].map(([each]) => bare(each));
  const unknown = named?.find((each) => !target.columns.some((column) => isSame(column, each)));
  if (unknown !== undefined) return { problem: `table ${target.name} has no column ${unknown}` };
  try {
    const refusal = await refusalOf(connection, source);
    if (refusal !== null) return { problem: refusal };
  } catch (error) {
    return { problem: modelMessage(error) };
  }
  const into = named === null ? '' : ` (${named.map(sqlName).join(', ')})`;
  return { place, sql: `INSERT INTO main.${sqlName(target.name)}${into} ${source}` };
}

const bare = (text: string): string =>
  text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text;

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

async function firstOrphan(
  connection: DuckDBConnection,
  orphans: ScratchQuestion['orphans'],
): Promise<string | null> {
  for (const { table, columns, target, sql } of orphans) {
    const { rows } = await readRows(await connection.stream(sql), 1);
    const [row] = rows;
    if (row === undefined) continue;
    return `Table ${table} has a row with ${columns.join(', ')} = ${row.map(String).join(', ')}, to which no row of table ${target} belongs.`;
  }
  return null;
}

async function ask(
  connection: DuckDBConnection,
  sql: string,
  maxRows: number,
): Promise<ScratchResult> {
  try {
    const refusal = await refusalOf(connection, sql);
    if (refusal !== null) return { kind: 'error', message: refusal };
    const statement = await connection.prepare(sql);
    if (statement.statementType !== StatementType.SELECT) throw new Error('not a SELECT');
    return { kind: 'rows', result: await readRows(await statement.stream(), maxRows) };
  } catch (error) {
    return { kind: 'error', message: modelMessage(error) };
  }
}
