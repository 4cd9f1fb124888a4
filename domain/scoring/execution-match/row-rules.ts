import type { Cell, TableResult } from '../../agent/observations/table-result.js';
import { isClose, roundTo } from '../../statistics/rounding.js';
import { byCodePoint, str } from '../../formats/python/text.js';
import { hashKey, type PythonValue } from '../../formats/python/value.js';
import {
  differentSize,
  matched,
  unmatched,
  type ExecutionMatch,
  type GoldComparison,
} from './result-comparison.js';
import {
  isDecimalType,
  isFloatType,
  isIntegerType,
  mapCells,
  sqliteRows,
  tupleKey,
} from './sqlite-values.js';

/** Sums of floats in another order differ less, results that are rounded differently differ more. */
const [relativeTolerance, absoluteTolerance] = [1e-6, 1e-9];

/**
 * The rule of turnwise: the same rows as often, columns in order whatever their names, and rows in order if the gold query orders
 * its result. Two integers are equal when they are the same, other numbers when they differ by at most a millionth (or by
 * 1e-9). NULL equals NULL only, NaN equals NaN, a text or a BOOLEAN never equals a number.
 */
export function multisetMatch({ predicted, gold, goldSql }: GoldComparison): ExecutionMatch {
  const different = differentSize(predicted, gold);
  if (different) return different;
  const [given, expected] = [valuesOf(predicted), valuesOf(gold)];
  if (ordersResult(goldSql)) {
    const row = expected.findIndex((values, index) => !rowsEqual(values, given[index] ?? []));
    return row === -1 ? matched : unmatched(`Row ${row + 1} differs in values or order.`);
  }
  return pairRows(given, expected) ? matched : unmatched('A row of the gold is missing.');
}

/** An integer is a bigint, any other number a number. A value of another type is its JSON, as in `"a"`; NULL is `null`. */
type Value = bigint | number | string;

const valuesOf = (result: TableResult): readonly (readonly Value[])[] => mapCells(result, valueOf);

function valueOf(cell: Cell, type: string): Value {
  if (typeof cell === 'number' || typeof cell === 'string') {
    if (isIntegerType(type)) return BigInt(cell);
    if (isFloatType(type) || isDecimalType(type)) return Number(cell);
  }
  return JSON.stringify(cell);
}

const rowsEqual = (a: readonly Value[], b: readonly Value[]): boolean =>
  a.every((value, index) => valuesEqual(value, b[index] ?? 'null'));

function valuesEqual(a: Value, b: Value): boolean {
  if (typeof a === 'string' || typeof b === 'string') return a === b;
  if (typeof a === 'bigint' && typeof b === 'bigint') return a === b;
  const [left, right] = [Number(a), Number(b)];
  return (
    isClose(left, right, relativeTolerance, absoluteTolerance) ||
    (Number.isNaN(left) && Number.isNaN(right))
  );
}

/** Whether each row has its own equal row. Rows with the very same values are paired first, the others in order. */
function pairRows(
  given: readonly (readonly Value[])[],
  expected: readonly (readonly Value[])[],
): boolean {
  const exact = new Map<string, (readonly Value[])[]>();
  for (const row of given) {
    const key = row.join('\0');
    const rows = exact.get(key);
    if (rows) rows.push(row);
    else exact.set(key, [row]);
  }
  const others = expected.filter((row) => exact.get(row.join('\0'))?.pop() === undefined);
  const left = [...exact.values()].flat();
  return others.every((row) => {
    const index = left.findIndex((candidate) => rowsEqual(row, candidate));
    if (index !== -1) left.splice(index, 1);
    return index !== -1;
  });
}

/** Brackets, ORDER BY, and what may contain them without meaning them: texts, quoted names, comments. */
const sqlParts = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|[()]|\border\s+by\b/gi;

/** Whether a query has an ORDER BY outside brackets. */
export function ordersResult(sql: string): boolean {
  let depth = 0;
  for (const [part] of sql.matchAll(sqlParts)) {
    if (part === '(') depth += 1;
    else if (part === ')') depth -= 1;
    else if (depth === 0 && /^order/i.test(part)) return true;
  }
  return false;
}

/** BIRD: the sets of rows are equal. Columns have an order, rows have none, and a repeated row counts once. */
export function birdMatch({ predicted, gold }: GoldComparison): ExecutionMatch {
  const [given, expected] = [predicted, gold].map((result) => sqliteRows(result).map(tupleKey));
  return setsMatch(new Set(given), new Set(expected));
}

/** Whether two sets of keys of rows are equal. */
function setsMatch(given: ReadonlySet<string>, expected: ReadonlySet<string>): ExecutionMatch {
  if ([...expected].some((row) => !given.has(row)))
    return unmatched('A row of the gold is missing.');
  return given.size === expected.size ? matched : unmatched('A row is not in the gold.');
}

/** More rows are not read. */
const maxRows = 10_000;
/** The precision of Python's decimals. */
const maxDigits = 28;

/**
 * LiveSQLBench: the sets of rows are equal after rounding to two decimals and cutting times to dates, or the lists of rows if the
 * order counts. A result without rows equals none. NaN equals nothing.
 */
export function livesqlMatch({ predicted, gold, ordered }: GoldComparison): ExecutionMatch {
  if (predicted.rows.length === 0) return unmatched('It has no rows.');
  if (gold.rows.length === 0) return unmatched('The gold has no rows.');
  const [given, expected] = [rowKeys(predicted), rowKeys(gold)];
  if (!given || !expected) return unmatched('A value is NaN or too long to be rounded.');
  if (!ordered) return setsMatch(new Set(given), new Set(expected));
  const equal = given.length === expected.length && given.every((row, at) => row === expected[at]);
  return equal ? matched : unmatched('The rows or their order differ.');
}

/** Null if a row equals none, not even itself. */
function rowKeys(result: TableResult): readonly string[] | null {
  const keys = mapCells({ ...result, rows: result.rows.slice(0, maxRows) }, valueKey);
  return keys.some((row) => row.includes(null)) ? null : keys.map((row) => JSON.stringify(row));
}

/**
 * The same text for values that are equal in Python, as PostgreSQL's driver returns them: a DECIMAL is a decimal, which never
 * equals a float such as 0.1, and a BOOLEAN is a number. Null for a value that equals nothing.
 */
function valueKey(cell: Cell, type: string): string | null {
  if (cell === null) return 'none';
  if (typeof cell === 'boolean') return `number ${cell ? 100 : 0}`;
  if (typeof cell === 'object') return `json ${JSON.stringify(cell, roundedAndSorted)}`;
  if (isIntegerType(type)) return `number ${BigInt(cell) * 100n}`;
  if (isDecimalType(type)) return decimalKey(hundredths(String(cell)));
  if (isFloatType(type)) return floatKey(roundTo(Number(cell), decimals));
  const text = String(cell);
  if (/^(?:DATE|TIMESTAMP)/.test(type)) return `text ${text.slice(0, 'YYYY-MM-DD'.length)}`;
  return /^(?:TIME|INTERVAL|BLOB)/.test(type) ? `${type} ${text}` : `text ${text}`;
}

const decimals = 2;

/** Quarters are the only hundredths that a float holds exactly. */
function floatKey(value: number): string | null {
  if (Number.isNaN(value)) return null;
  return Number.isInteger(value * 4) ? `number ${BigInt(value * 4) * 25n}` : `float ${value}`;
}

function decimalKey(value: bigint): string | null {
  if (value.toString().replace('-', '').length > maxDigits) return null;
  return value % 25n === 0n ? `number ${value}` : `decimal ${value}`;
}

/** Rounds half up, away from 0. @param text - such as `-12.345` */
function hundredths(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const thousandths = BigInt(whole + fraction.padEnd(3, '0').slice(0, 3));
  const size = (thousandths + 5n) / 10n;
  return text.startsWith('-') ? -size : size;
}

function roundedAndSorted(_key: string, value: unknown): unknown {
  if (typeof value === 'number') return roundTo(value, decimals);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Spider's test suite: with its columns in some order, the predicted result has the rows of the gold as often as the gold, and in
 * its order if the gold query has an `ORDER BY` anywhere. Two results without rows are equal.
 */
export function spiderMatch({ predicted, gold, goldSql }: GoldComparison): ExecutionMatch {
  if (predicted.rows.length === 0 && gold.rows.length === 0) return matched;
  const different = differentSize(predicted, gold);
  if (different) return different;
  const ordered = goldSql.toLowerCase().includes('order by');
  const [given, expected] = [sqliteRows(predicted), sqliteRows(gold)];
  if (!haveSameValues(given, expected, ordered)) {
    return unmatched(`The rows have other values${ordered ? ' or another order' : ''}.`);
  }
  const ids = new Map<string, number>();
  const [left, right] = [columnsOf(expected, ids), columnsOf(given, ids)];
  const found = ordered ? sameColumns(left, right) : columnsFit(left, right, ids.size);
  return found ? matched : unmatched('In no order of its columns are the rows equal.');
}

type Rows = readonly (readonly PythonValue[])[];

/**
 * Compares rows whose values are sorted by their texts, as the original does first. So rows can differ although their values are
 * equal: in `(7, 70)` the 70 is sorted before `7<class 'int'>`, in `(7.0, 70)` behind `7.0<class 'float'>`.
 */
function haveSameValues(given: Rows, expected: Rows, ordered: boolean): boolean {
  const [a, b] = [given.map(sortedKey), expected.map(sortedKey)];
  if (ordered) return a.every((key, index) => key === b[index]);
  const [left, right] = [new Set(a), new Set(b)];
  return left.size === right.size && a.every((key) => right.has(key));
}

const sortedKey = (row: readonly PythonValue[]): string =>
  tupleKey(
    row
      .map((value) => ({ value, text: `${str(value)}<class '${className(value)}'>` }))
      .sort((a, b) => byCodePoint(a.text, b.text))
      .map(({ value }) => value),
  );

const className = ({ kind }: PythonValue): string => (kind === 'none' ? 'NoneType' : kind);

/** A column as the ids of its values. Equal values have the same id. */
type ColumnIds = readonly number[];

function columnsOf(rows: Rows, ids: Map<string, number>): readonly ColumnIds[] {
  const idOf = (value: PythonValue): number => {
    const key = hashKey(value) ?? '';
    const id = ids.get(key) ?? ids.size;
    ids.set(key, id);
    return id;
  };
  return (rows[0] ?? []).map((_, column) =>
    rows.map((row) => idOf(row[column] ?? { kind: 'none' })),
  );
}

const columnKey = (column: ColumnIds): string => column.join();

/** Whether the same columns occur as often. */
function sameColumns(left: readonly ColumnIds[], right: readonly ColumnIds[]): boolean {
  const [a, b] = [left, right].map((columns) => columns.map(columnKey).sort().join(';'));
  return a === b;
}

/**
 * Whether an order of the `right` columns gives the rows of `left`, as often. The original tries all orders that a sample of
 * rows leaves. This search leaves an order as soon as its first columns tell the rows apart, and does not try equal columns
 * twice, which changes no verdict.
 * @param ids - how many there are
 */
function columnsFit(left: readonly ColumnIds[], right: readonly ColumnIds[], ids: number): boolean {
  const free = right.map((column) => ({ column, key: columnKey(column), used: false }));

  /** `a` and `b` number the rows by the values of the columns so far: rows with equal values have the same number. */
  const search = (depth: number, a: readonly number[], b: readonly number[]): boolean => {
    const next = left[depth];
    if (next === undefined) return true;
    const numbers = new Map<number, number>();
    const refine = (rows: readonly number[], column: ColumnIds): readonly number[] =>
      rows.map((number, row) => {
        const key = number * ids + (column[row] ?? 0);
        const refined = numbers.get(key) ?? numbers.size;
        numbers.set(key, refined);
        return refined;
      });
    const refinedA = refine(a, next);
    const tried = new Set<string>();
    return free.some((candidate) => {
      if (candidate.used || tried.has(candidate.key)) return false;
      tried.add(candidate.key);
      const refinedB = refine(b, candidate.column);
      if (!occurAsOften(refinedA, refinedB)) return false;
      candidate.used = true;
      const found = search(depth + 1, refinedA, refinedB);
      candidate.used = false;
      return found;
    });
  };

  const rows = (left[0] ?? []).map(() => 0);
  return search(0, rows, rows);
}

function occurAsOften(a: readonly number[], b: readonly number[]): boolean {
  const balance = new Map<number, number>();
  for (const number of a) balance.set(number, (balance.get(number) ?? 0) + 1);
  return b.every((number) => {
    const left = (balance.get(number) ?? 0) - 1;
    balance.set(number, left);
    return left >= 0;
  });
}
