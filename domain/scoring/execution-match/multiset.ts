import type { Cell, TableResult } from '../../agent/observations/table-result.js';
import { isClose } from '../../statistics/rounding.js';
import {
  differentSize,
  matched,
  unmatched,
  type ExecutionMatch,
  type GoldComparison,
} from './result-comparison.js';
import { isDecimalType, isFloatType, isIntegerType } from './sqlite-values.js';

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

const valuesOf = ({ columns, rows }: TableResult): readonly (readonly Value[])[] =>
  rows.map((row) => row.map((cell, index) => valueOf(cell, columns[index]?.type ?? '')));

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
