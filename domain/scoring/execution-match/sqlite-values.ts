import { typeInRow, type Cell, type TableResult } from '../../agent/observations/tool-outcome.js';
import { hashKey, type PythonValue } from '../../formats/python/value.js';

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
export function sqliteValue(cell: Cell, type: string): PythonValue {
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
export const timestampText = (iso: string): string => iso.replace('T', ' ').replace(/Z$/, '+00:00');

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
