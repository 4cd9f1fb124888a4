import type { Cell, TableResult } from '../../agent/observations/table-result.js';
import { roundTo } from '../../statistics/rounding.js';
import { setsMatch } from './bird.js';
import {
  matched,
  unmatched,
  type ExecutionMatch,
  type GoldComparison,
} from './result-comparison.js';
import { isDecimalType, isFloatType, isIntegerType } from './sqlite-values.js';

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
function rowKeys({ columns, rows }: TableResult): readonly string[] | null {
  const keys = rows
    .slice(0, maxRows)
    .map((row) => row.map((cell, index) => valueKey(cell, columns[index]?.type ?? '')));
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
