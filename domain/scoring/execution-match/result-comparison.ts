import { typeInRow, type TableResult, type Cell } from '../../agent/observations/tool-outcome.js';
import { hashKey, type PythonValue } from '../../formats/python/value.js';

/** What the rules for results of queries look at. All results must have all their rows. */
export interface ResultComparison {
  readonly predicted: TableResult;
  /** The predicted result must equal one of them. */
  readonly golds: readonly TableResult[];
  /** `multiset` and `spider` look for an ORDER BY in it. */
  readonly goldSql: string;
  /** What `withKeys` of its order returned, where that was executed: `multiset` sees there which rows tie. */
  readonly goldKeys?: TableResult | null;
  /** Whether the order of rows counts under `livesql`. @defaultValue false */
  readonly ordered?: boolean;
  /** Whether the order of rows does not count under `spider2-lite` and `spider2-dbt`. @defaultValue false */
  readonly ignoreOrder?: boolean;
  /**
   * Positions, from 0, of the columns of a gold that count under `spider2-lite` and `spider2-dbt`, for all golds or for each
   * one. An empty list stands for all columns, a negative position counts from the end. @defaultValue []
   */
  readonly conditionColumns?: readonly number[] | readonly (readonly number[])[];
}

/** A comparison with one of the golds. */
export interface GoldComparison extends Omit<ResultComparison, 'golds'> {
  readonly gold: TableResult;
}

/** `reason` says in a short sentence why two results are not equal. */
export type ExecutionMatch =
  { readonly match: true } | { readonly match: false; readonly reason: string };

export const matched: ExecutionMatch = { match: true };
export const unmatched = (reason: string): ExecutionMatch => ({ match: false, reason });

/** Null if both results have as many rows, and as many columns. */
export function differentSize(predicted: TableResult, gold: TableResult): ExecutionMatch | null {
  for (const part of ['rows', 'columns'] as const) {
    const [given, expected] = [predicted[part].length, gold[part].length];
    if (given !== expected) return unmatched(`Number of ${part}: ${given} instead of ${expected}.`);
  }
  return null;
}

const integerType = /^(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER)$/;
const decimalType = /^DECIMAL\b/;
const floatType = /^(?:FLOAT|DOUBLE|REAL)$/;

/** Types of numbers in DuckDB or SQLite, by their name. */
export const isIntegerType = (type: string): boolean => integerType.test(type);
export const isDecimalType = (type: string): boolean => decimalType.test(type);
export const isFloatType = (type: string): boolean => floatType.test(type);

/**
 * The value that Python's sqlite3 would return for a cell. SQLite has five kinds of values: NULL, int, float, str and bytes. So a
 * BOOLEAN is an int, a DECIMAL a float, NaN is NULL, a date or time is a str (a timestamp with a blank for the `T`), and a list
 * or struct is its JSON.
 * @param type - of the value, as DuckDB or SQLite calls it
 */
function sqliteValue(cell: Cell, type: string): PythonValue {
  if (cell === null) return { kind: 'none' };
  if (typeof cell === 'boolean') return { kind: 'int', value: cell ? 1n : 0n };
  if (typeof cell === 'object') return { kind: 'str', value: JSON.stringify(cell) };
  if (isIntegerType(type)) return { kind: 'int', value: BigInt(cell) };
  if (typeof cell === 'number' || isFloatType(type) || isDecimalType(type)) {
    const value = Number(cell);
    return Number.isNaN(value) ? { kind: 'none' } : { kind: 'float', value };
  }
  if (type === 'BLOB') return { kind: 'bytes', value: bytesText(cell) };
  return { kind: 'str', value: type.startsWith('TIMESTAMP') ? timestampText(cell) : cell };
}

/** Python's text of an ISO 8601 time. */
const timestampText = (iso: string): string => iso.replace('T', ' ').replace(/Z$/, '+00:00');

/** One character per byte. @param hex - two digits per byte */
const bytesText = (hex: string): string =>
  hex.replace(/../g, (byte) => String.fromCharCode(parseInt(byte, 16)));

export const sqliteRows = (result: TableResult): readonly (readonly PythonValue[])[] =>
  mapCells(result, sqliteValue);

/** Each cell of a result, made into something with the type of its value. */
export const mapCells = <T>(
  { columns, rows }: TableResult,
  made: (cell: Cell, type: string) => T,
): readonly (readonly T[])[] =>
  rows.map((row, at) =>
    row.map((cell, index) => {
      const column = columns[index];
      return made(cell, column === undefined ? '' : typeInRow(column, at));
    }),
  );

/** The same text for Python tuples that are equal, such as `(1, 'a')` and `(1.0, 'a')`. */
export const tupleKey = (row: readonly PythonValue[]): string => JSON.stringify(row.map(hashKey));
