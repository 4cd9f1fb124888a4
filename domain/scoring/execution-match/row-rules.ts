import type { Cell, TableResult } from '../../agent/observations/tool-outcome.js';
import { isClose, roundTo } from '../../statistics/rounding.js';
import { groupsOf } from '../../statistics/means.js';
import { byCodePoint, str, hashKey, type PythonValue } from '../../formats/python/value.js';
import {
  differentSize,
  matched,
  unmatched,
  isDecimalType,
  isFloatType,
  isIntegerType,
  mapCells,
  sqliteRows,
  tupleKey,
  type ExecutionMatch,
  type GoldComparison,
} from './result-comparison.js';
import { firstRows, type TooLarge } from './execution.js';
import { mostPairs } from '../pairing.js';
import { ordersResult, queryOrder, type QueryOrder } from './query-order.js';

/** Sums of floats in another order differ less, results that are rounded differently differ more. */
const [relativeTolerance, absoluteTolerance] = [1e-6, 1e-9];

/**
 * The rule of turnwise: the same rows as often, columns in order whatever their names, and rows in order if the gold query orders
 * its result; rows that tie in its keys may stand in any order. Two integers are equal when they are the same, other numbers
 * when they differ by at most a millionth (or by 1e-9). NULL equals NULL only, NaN equals NaN, a text or a BOOLEAN never equals a
 * number.
 */
export function multisetMatch({
  predicted,
  gold,
  goldSql,
  goldKeys,
}: GoldComparison): ExecutionMatch {
  const different = differentSize(predicted, gold);
  if (different) return different;
  const [given, expected] = [valuesOf(predicted), valuesOf(gold)];
  if (!ordersResult(goldSql)) {
    return pairRows(given, expected) ? matched : unmatched('A row of the gold is missing.');
  }
  const keys = goldOrder(goldSql, gold, goldKeys);
  for (let from = 0, to = 0; from < expected.length; from = to) {
    do to += 1;
    while (keys && to < expected.length && rowsTie(keys, to));
    if (pairRows(given.slice(from, to), expected.slice(from, to))) continue;
    return unmatched(
      to - from === 1
        ? `Row ${to} differs in values or order.`
        : `Rows ${from + 1} to ${to}, which tie, differ in values.`,
    );
  }
  return matched;
}

/** By what the rows of a gold are ordered. Null where that cannot be seen: each row has its place. */
export function goldOrder(
  goldSql: string,
  gold: TableResult,
  goldKeys: TableResult | null = null,
): readonly Values[] | null {
  const order = queryOrder(goldSql);
  const table = order?.withKeys === null ? gold : goldKeys;
  return order && table?.rows.length === gold.rows.length ? orderKeys(order, table) : null;
}

/**
 * The keys of each row. Null where some cannot be seen.
 * @param result - with the columns that the order adds
 */
export function orderKeys(
  { keys, added }: QueryOrder,
  result: TableResult,
): readonly Values[] | null {
  const start = result.columns.length - added;
  const columns = keys?.map(({ from, column }) => (from === 'added' ? start : 0) + column);
  return columns
    ? valuesOf(result).map((row) => columns.map((column) => row[column] ?? 'null'))
    : null;
}

/** Whether a row has the keys of the row before it. */
export const rowsTie = (keys: readonly Values[], at: number): boolean =>
  rowsEqual(keys[at - 1] ?? [], keys[at] ?? []);

/** An integer is a bigint, any other number a number. A value of another type is its JSON, as in `"a"`; NULL is `null`. */
type Value = bigint | number | string;
export type Values = readonly Value[];

const valuesOf = (result: TableResult): readonly Values[] => mapCells(result, valueOf);

function valueOf(cell: Cell, type: string): Value {
  if (typeof cell === 'number' || typeof cell === 'string') {
    if (isIntegerType(type)) return BigInt(cell);
    if (isFloatType(type) || isDecimalType(type)) return Number(cell);
  }
  return JSON.stringify(cell);
}

const rowsEqual = (a: Values, b: Values): boolean =>
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

/** Results with thousands of rows that all nearly equal each other, and yet do not fit, count as different after so many steps. */
const mostSteps = 10_000_000;

/** Whether each row has its own equal row, whatever their order. */
function pairRows(given: readonly Values[], expected: readonly Values[]): boolean {
  if (given.length === 1) return rowsEqual(given[0] ?? [], expected[0] ?? []);
  const others = groupsOf(expected, exactPart);
  return [...groupsOf(given, exactPart)].every(([key, rows]) =>
    pairNumbers(rows.map(numbersOf), (others.get(key) ?? []).map(numbersOf)),
  );
}

/** Pairs rows of numbers, those apart that differ from all others in some number. @param column - the first to look at for that */
function pairNumbers(given: readonly Values[], expected: readonly Values[], column = 0): boolean {
  if (given.length !== expected.length) return false;
  if (given.length === 1) return rowsEqual(given[0] ?? [], expected[0] ?? []);
  const width = given[0]?.length ?? 0;
  if (column < width) {
    return neighbours(given, expected, column).every(([rows, others]) =>
      pairNumbers(rows, others, column + 1),
    );
  }
  const [a, b] = [given.toSorted(inOrder), expected.toSorted(inOrder)];
  const fits = (one: number, other: number): boolean => rowsEqual(a[one] ?? [], b[other] ?? []);
  // A single number leaves no choice: the smallest ones belong together.
  if (width < 2) return a.every((_, index) => fits(index, index));
  return mostPairs({ lefts: a.length, rights: b.length, fits, mostSteps }, true) === a.length;
}

/** The rows of both sides in groups, between which a number leaves more than the tolerance. */
function neighbours(
  given: readonly Values[],
  expected: readonly Values[],
  column: number,
): readonly (readonly [Values[], Values[]])[] {
  const sides = [given, expected].flatMap((rows, side) =>
    rows.map((row) => ({ row, side, value: Number(row[column] ?? 0) })),
  );
  const groups: [Values[], Values[]][] = [];
  let last = NaN;
  for (const { row, side, value } of sides.sort((x, y) => x.value - y.value)) {
    // Twice: between two that are just equal the tolerance is a little less than that of the larger one.
    const isNext = isClose(last, value, 2 * relativeTolerance, 2 * absoluteTolerance);
    if (!isNext) groups.push([[], []]);
    groups.at(-1)?.[side === 0 ? 0 : 1].push(row);
    last = value;
  }
  return groups;
}

/** A number that is nearly equal to others. An infinite one, or NaN, is not. */
const isNear = (value: Value): boolean => typeof value !== 'string' && isFinite(Number(value));

/** The same text for rows that are equal but for their numbers. */
const exactPart = (row: Values): string =>
  row.map((value) => (isNear(value) ? '#' : `=${value}`)).join('\0');

const numbersOf = (row: Values): Values => row.filter(isNear);

const inOrder = (a: Values, b: Values): number => {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) < (b[at] ?? 0) ? -1 : 1;
};

/** Some rows of a result that is not stored. */
export type SeenRows = NonNullable<TooLarge['seen']>;

/** Whether a gold surely lacks one of the rows under a rule. */
export const lacksRow = {
  multiset: (seen: SeenRows, gold: TableResult): boolean => {
    const groups = groupsOf(valuesOf(gold), exactPart);
    return valuesOf({ ...seen, more: true }).some(
      (row) => !groups.get(exactPart(row))?.some((other) => rowsEqual(row, other)),
    );
  },
  bird: keysDiffer((result) => sqliteRows(result).map(tupleKey)),
  spider: keysDiffer((result) => sqliteRows(result).map(sortedKey)),
  livesql: keysDiffer(rowKeys),
};

function keysDiffer(
  keysOf: (result: TableResult) => readonly string[] | null,
): (seen: SeenRows, gold: TableResult) => boolean {
  return (seen, gold) => {
    const [given, expected] = [keysOf({ ...seen, more: true }), keysOf(gold)];
    // A row that equals nothing.
    if (!given || !expected) return true;
    const known = new Set(expected);
    return given.some((key) => !known.has(key));
  };
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
  const keys = mapCells({ ...result, rows: result.rows.slice(0, firstRows) }, valueKey);
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
