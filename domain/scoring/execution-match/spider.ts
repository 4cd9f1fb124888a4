import { byCodePoint, str } from '../../formats/python/text.js';
import { hashKey, type PythonValue } from '../../formats/python/value.js';
import {
  differentSize,
  matched,
  unmatched,
  type ExecutionMatch,
  type GoldComparison,
} from './result-comparison.js';
import { sqliteRows, tupleKey } from './sqlite-values.js';

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
