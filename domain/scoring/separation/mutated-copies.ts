import { sqlText } from '../../formats/sql.js';
import { preview } from '../../formats/text.js';
import { type Engine } from '../../stores/database.js';
import { sqlName } from '../../stores/database-schema.js';
import { goldFaults, goldToCheck, type GoldToCheck } from '../execution-match/check-gold.js';
import { type Executed, type Execution, type Match } from '../execution-match/execution.js';
import { answerSql, executionMatch } from '../execution-match/execution-options.js';
import { queryUnderRule } from '../execution-match/execution-rules.js';
import { executionVerdict } from '../execution-match/execution-verdict.js';
import { hashOf } from '../review/panel.js';
import {
  otherValue,
  same,
  type CopiedTable,
  type Reference,
  type Row,
  type Value,
} from './copied-tables.js';

interface Mutation {
  /** Of tables that refer to others; the others have half as many. */
  readonly rows: number;
  /** How often a value lies at the edge of a constant, comes from another row, or is NULL. */
  readonly edges: number;
  readonly swaps: number;
  readonly nulls?: number;
  /** How often a row repeats the one before it, but for its keys; `groups`: in groups beside each small number of the statements. */
  readonly repeats?: number | 'groups';
  /** Whether no number and no date occurs twice in a column. */
  readonly distinct?: true;
  /** The share of rows to which others refer. */
  readonly partners?: number;
}

/** By what a copy differs from the real rows, in the order in which they are tried. */
export const mutations: Readonly<Record<string, Mutation>> = {
  'values swapped among rows': { rows: 16, edges: 0, swaps: 0.5 },
  'values at the edges of constants': { rows: 24, edges: 0.5, swaps: 0.2 },
  'no two equal values': { rows: 16, edges: 0.2, swaps: 0.3, distinct: true },
  'repeated rows': { rows: 16, edges: 0.2, swaps: 0.2, repeats: 0.6 },
  NULLs: { rows: 16, edges: 0.1, swaps: 0.2, nulls: 0.3 },
  'groups of several sizes': { rows: 40, edges: 0.2, swaps: 0.2, repeats: 'groups' },
  'keys without a partner': { rows: 10, edges: 0.1, swaps: 0.2, nulls: 0.1, partners: 0.4 },
  'repeated values at the edges': { rows: 30, edges: 0.7, swaps: 0.2, nulls: 0.05, repeats: 0.3 },
  'edges, NULLs and repeats': { rows: 24, edges: 0.4, swaps: 0.4, nulls: 0.1, repeats: 0.2 },
  'few rows': { rows: 4, edges: 0.4, swaps: 0.3, nulls: 0.05 },
  'one row': { rows: 1, edges: 0.3, swaps: 0.3 },
  'empty tables': { rows: 0, edges: 0, swaps: 0 },
};

type Draw = () => number;

/** Numbers from 0 to below 1, the same for the same seed. */
function drawsOf(...seed: readonly string[]): Draw {
  let state = Number.parseInt(hashOf(...seed).slice(0, 8), 16);
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

const oneOf = <T>(items: readonly T[], draw: Draw): T | undefined =>
  items[Math.floor(draw() * items.length)];

/** The rows of each table. */
export type Copy = ReadonlyMap<CopiedTable, readonly Row[]>;

/**
 * A copy of tables, which keeps their keys, references and NOT NULL.
 * @param tables - those that others refer to first
 * @param counts - of rows that a group may need
 */
export function mutatedCopy(
  tables: readonly CopiedTable[],
  name: string,
  { seed, counts }: { readonly seed: string; readonly counts: readonly number[] },
): Copy {
  const draw = drawsOf(seed, name);
  const copy = new Map<CopiedTable, Row[]>();
  const mutation = mutations[name] ?? { rows: 0, edges: 0, swaps: 0 };
  const sizes = (counts.length === 0 ? [2] : counts).flatMap((size) => [size - 1, size, size + 1]);
  const groups = sizes.flatMap((size) => Array.from({ length: size }, (_, at) => at > 0));
  for (const table of tables) {
    const rows: Row[] = [];
    copy.set(table, rows);
    const rowsOf = (target: string): readonly Row[] =>
      [...copy].find(([{ name }]) => name === target)?.[1] ?? [];
    const isTarget = tables.some(({ references }) =>
      references.some((each) => each.table === table.name),
    );
    const wanted = isTarget ? Math.ceil(mutation.rows / 2) : mutation.rows;
    for (let at = 0; at < wanted; at += 1) {
      const repeats =
        mutation.repeats === 'groups'
          ? !isTarget && groups[at % groups.length]
          : draw() < (mutation.repeats ?? 0);
      const making = { mutation, rows, rowsOf, draw };
      const row = newRow(table, repeats ? rows.at(-1) : undefined, making);
      if (row) rows.push(row);
    }
  }
  return copy;
}

interface Making {
  readonly mutation: Mutation;
  readonly rows: readonly Row[];
  readonly rowsOf: (table: string) => readonly Row[];
  readonly draw: Draw;
}

/** Null where none can be made that keeps what holds. @param before - to be repeated */
function newRow(table: CopiedTable, before: Row | undefined, making: Making): Row | null {
  const { mutation, rows, draw } = making;
  const { edges, swaps, nulls = 0, distinct } = mutation;
  const row = new Map(before);
  const base = oneOf(table.rows, draw);
  for (const column of before ? [] : table.columns) {
    const { name, nullable, values } = column;
    const chance = draw() - (nullable ? nulls : 0);
    const swapped = oneOf(values, draw) ?? otherValue(column, 1);
    const isSwapped =
      base === undefined || chance < edges + swaps || (!nullable && base.get(name) === null);
    const edge = chance < edges ? oneOf(column.edges, draw) : undefined;
    row.set(name, chance < 0 ? null : (edge ?? (isSwapped ? swapped : (base.get(name) ?? null))));
  }
  if (!before && !table.references.every((each) => refer(row, each, table, making))) return null;
  const referring = table.references.flatMap(({ columns }) => columns);
  const apart = table.columns.filter(
    ({ name, kind }) => !referring.includes(name) && /^(?:int|real|day|time)$/.test(kind),
  );
  for (const key of [...table.keys, ...(distinct ? apart.map(({ name }) => [name]) : [])]) {
    const textOf = (each: Row): string =>
      JSON.stringify(key.map((name) => valueIn(each, name)?.toLowerCase()));
    const isTaken = (): boolean =>
      !key.some((name) => valueIn(row, name) === null) &&
      rows.some((each) => textOf(each) === textOf(row));
    const own = table.columns.find(
      ({ name }) => key.some((each) => same(each, name)) && !referring.includes(name),
    );
    const reference = table.references.findLast(({ columns }) =>
      columns.some((each) => key.includes(each)),
    );
    for (let tries = 0; isTaken(); tries += 1) {
      if (tries > 70 || (!own && (!reference || !refer(row, reference, table, making))))
        return null;
      if (own) row.set(own.name, own.values[tries] ?? otherValue(own, tries + rows.length));
    }
  }
  return row;
}

const valueIn = (row: Row, name: string): Value =>
  row.get(name) ?? [...row].find(([column]) => same(column, name))?.[1] ?? null;

/** Lets a row refer to one that is there, or to none; false where it can do neither. */
function refer(
  row: Map<string, Value>,
  { columns, table: target, targets, isDeclared }: Reference,
  table: CopiedTable,
  { mutation: { nulls = 0, partners = 1 }, rowsOf, draw }: Making,
): boolean {
  if (!isDeclared && draw() < 0.3) return true;
  const own = table.columns.filter(({ name }) => columns.some((each) => same(each, name)));
  const nullable = own.filter((column) => column.nullable);
  const there = rowsOf(target);
  // The first row keeps its key: no other has it.
  const others = target === table.name && there.length === 0 ? [row] : there;
  const some = others.slice(0, Math.ceil(others.length * partners));
  const other = nullable.length > 0 && draw() < nulls ? undefined : oneOf(some, draw);
  if (other === undefined) {
    for (const { name } of nullable) row.set(name, null);
    return nullable.length > 0 || !isDeclared;
  }
  columns.forEach((column, at) => {
    const name = own.find((each) => same(each.name, column))?.name;
    if (name !== undefined) row.set(name, valueIn(other, targets[at] ?? ''));
  });
  return true;
}

/** The statements that insert the rows of a copy, but for those that a CHECK refuses, and what refers to them. */
export function insertsOf(copy: Copy, engine: Engine): readonly string[] {
  const isDuckdb = engine === 'duckdb';
  const before: string[] = [];
  return [...copy].flatMap(([{ name: table, columns, references, checks = [] }, rows]) => {
    const names = columns.map(({ name }) => sqlName(name));
    const kept = references
      .filter((each) => each.isDeclared && before.includes(each.table))
      .map(({ columns: own, table: target, targets }) => {
        const met = own.map((name, at) => `p.${sqlName(targets[at] ?? '')} = r.${sqlName(name)}`);
        const isNull = own.map((name) => `r.${sqlName(name)} IS NULL OR `).join('');
        return `(${isNull}EXISTS (SELECT 1 FROM ${sqlName(target)} AS p WHERE ${met.join(' AND ')}))`;
      });
    before.push(table);
    if (rows.length === 0) return [];
    const where = [
      ...(isDuckdb ? checks.map((check) => `(${check}) IS NOT FALSE`) : []),
      ...kept,
      '1 = 1',
    ];
    const cells = columns.map(({ type }, at) =>
      isDuckdb ? `TRY_CAST(col${at} AS ${type})` : `column${at + 1}`,
    );
    // DuckDB takes a column of NULL alone for one of numbers.
    const none = isDuckdb ? 'NULL::VARCHAR' : 'NULL';
    const literals = rows.map((row) =>
      columns
        .map(({ name, isQuoted }) => [row.get(name) ?? null, isDuckdb || isQuoted] as const)
        .map(([value, isText]) => (value === null ? none : isText ? sqlText(value) : value)),
    );
    const values = `(VALUES ${literals.map((each) => `(${each.join(', ')})`).join(', ')})`;
    const from = isDuckdb
      ? `${values} AS v(${names.map((_, at) => `col${at}`).join(', ')})`
      : values;
    const shown = cells.map((cell, at) => `${cell} AS ${names[at] ?? ''}`).join(', ');
    return `INSERT ${isDuckdb ? '' : 'OR IGNORE '}INTO ${sqlName(table)} (${names.join(', ')}) SELECT * FROM (SELECT ${shown} FROM ${from}) AS r WHERE ${where.join(' AND ')}`;
  });
}

/** An answer by SQL with all that is executed on each copy. */
interface MatchToSeparate {
  readonly match: Match;
  readonly gold: GoldToCheck;
  readonly golds: readonly string[];
  /** Of the answer, then those of `goldToCheck`. */
  readonly statements: readonly string[];
}

/** Null where no gold is SQL. */
export function matchToSeparate(match: Match): MatchToSeparate | null {
  const gold = goldToCheck({ eval_func: executionMatch, eval_kwargs: match.options });
  if (gold === null || gold.options.gold_sql.length === 0) return null;
  const golds = gold.options.gold_sql.map((sql) => queryUnderRule(gold.rule, sql));
  const answer = queryUnderRule(gold.rule, answerSql(match.answer));
  return { match, gold, golds, statements: [answer, ...gold.statements] };
}

/** Stands for SQL that returns what a gold has returned before. */
const earlier = 'SELECT * FROM earlier';

/**
 * How the results of a copy differ; null where they do not in some order of its rows, or that says nothing: a gold fails or
 * returns something else in another order, as it may where rows tie; both find nothing, one as no row and the other as NULL or 0;
 * the SQL of the answer fails, unless by several rows in the place of a value.
 * @param orders - what the statements returned, with the same rows in each order
 */
export function differenceOf(
  { match, gold, golds, statements }: MatchToSeparate,
  orders: readonly (readonly Executed[])[],
): string | null {
  const matches = (options: unknown, value: string, execution: Execution): boolean | null => {
    const verdict = executionVerdict(options, { kind: 'str', value }, execution);
    return verdict.kind === 'scored' ? verdict.score === 1 : null;
  };
  const executions = orders.map((executed) =>
    executed.map((each, at) => ({ sql: statements[at] ?? '', executed: rounded(each) })),
  );
  const ofGolds = executions.map((all) => all.filter(({ sql }) => golds.includes(sql)));
  const differs = executions.every((all, order) => {
    const [answer, ...others] = all;
    if (answer?.executed.kind === 'failed' && !severalRows.test(answer.executed.message))
      return false;
    if (matches(match.options, match.answer, { statements: all }) !== false) return false;
    const own = ofGolds[order] ?? [];
    if ([answer, ...own].every((each) => isNothing(each?.executed))) return false;
    const faults = goldFaults(gold, { statements: others });
    if (faults.some(({ check }) => check !== 'gold-empty')) return false;
    return own.every(({ sql, executed }) => {
      const first = ofGolds[0]?.find((each) => each.sql === sql);
      const again = [...own, { sql: earlier, executed: first?.executed ?? executed }];
      const options = { ...match.options, gold_sql: sql };
      return isNothing(executed) || matches(options, earlier, { statements: again }) === true;
    });
  });
  if (!differs) return null;
  return `the gold returns ${resultText(ofGolds[0]?.[0]?.executed)}, the answer ${resultText(executions[0]?.[0]?.executed)}`;
}

const severalRows = /more than one row/i;

/** Sums of floats in another order differ in their last digits. */
function rounded(executed: Executed): Executed {
  if (executed.kind !== 'rows') return executed;
  const rows = executed.result.rows.map((row) =>
    row.map((cell) =>
      typeof cell === 'number' && !Number.isInteger(cell) ? Number(cell.toPrecision(9)) : cell,
    ),
  );
  return { ...executed, result: { ...executed.result, rows } };
}

const isNothing = (executed: Executed | undefined): boolean =>
  executed?.kind === 'rows' &&
  executed.result.rows.flat().every((cell) => cell === null || cell === 0);

const resultText = (executed: Executed | undefined): string =>
  executed?.kind === 'rows'
    ? `${executed.result.rows.length} rows ${preview(JSON.stringify(executed.result.rows), 100)}`
    : preview(executed?.kind === 'failed' ? executed.message : 'too much', 100);
