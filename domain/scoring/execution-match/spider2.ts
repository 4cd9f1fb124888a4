import { byCodePoint, floatText, str } from '../../formats/python/value.js';
import { isClose } from '../../statistics/rounding.js';
import type { Cell, TableResult } from '../../agent/observations/tool-outcome.js';
import { cellText } from '../../agent/observations/pandas-frame.js';
import {
  matched,
  unmatched,
  isDecimalType,
  isFloatType,
  isIntegerType,
  sqliteRows,
  type ExecutionMatch,
  type ResultComparison,
} from './result-comparison.js';

/** A column of a pandas frame, as Python values. */
interface PandasColumn {
  /** Ints become floats in a frame that holds only ints and floats. */
  readonly kind: 'ints' | 'floats' | 'other';
  readonly cells: readonly PandasCell[];
}

interface PandasCell {
  /** Python's `str` of the value; it decides where the value is sorted. */
  readonly text: string;
  /** A number, or a text that is the same for equal values only. Null for a missing value. */
  readonly value: number | string | null;
  /** Whether it is sorted behind all others. */
  readonly last?: true;
}

const missing: PandasCell = { text: 'nan', value: null };
const unknown: PandasCell = { text: '<NA>', value: null };
const none: PandasCell = { text: 'None', value: null, last: true };

const intCell = (int: bigint): PandasCell => ({ text: int.toString(), value: Number(int) });
const floatCell = (float: number): PandasCell => ({ text: floatText(float), value: float });
const textCell = (text: string): PandasCell => ({ text, value: `text ${text}` });
const booleanCell = (value: boolean): PandasCell =>
  value ? { text: 'True', value: 1 } : { text: 'False', value: 0 };

/** The frame that pandas 2.3 reads from the CSV file into which it has written what SQLite returned. */
function columnsFromCsv(result: TableResult): readonly PandasColumn[] {
  const rows = sqliteRows(result);
  return result.columns.map((_, index) =>
    columnFromTexts(
      rows.map((row) => {
        const value = row[index] ?? { kind: 'none' };
        return value.kind === 'none' ? '' : str(value);
      }),
    ),
  );
}

const missingTexts: ReadonlySet<string> = new Set([
  '',
  ...['#N/A', '#N/A N/A', '#NA', '-1.#IND', '-1.#QNAN', '-NaN', '-nan', '1.#IND', '1.#QNAN'],
  ...['<NA>', 'N/A', 'NA', 'NULL', 'NaN', 'None', 'n/a', 'nan', 'null'],
]);

/** A column has ints, floats, booleans or texts: the first kind that fits all its texts. */
function columnFromTexts(texts: readonly string[]): PandasColumn {
  const present = texts.filter((text) => !missingTexts.has(text));
  const hasMissing = present.length < texts.length;
  const cellsBy = (cellOf: (text: string) => PandasCell): readonly PandasCell[] =>
    texts.map((text) => (missingTexts.has(text) ? missing : cellOf(text)));

  const kind = intKind(present, hasMissing);
  if (kind === 'ints' && !hasMissing) {
    return { kind: 'ints', cells: cellsBy((text) => intCell(BigInt(text.replace('+', '')))) };
  }
  if (kind === 'ints' || (kind === 'other' && present.every(isFloatText))) {
    return { kind: 'floats', cells: cellsBy((text) => floatCell(floatOf(text))) };
  }
  if (kind === 'missing-as-texts') return { kind: 'other', cells: texts.map(textCell) };
  const booleans = present.every((text) => /^(?:true|false)$/i.test(text));
  return {
    kind: 'other',
    cells: cellsBy(booleans ? (text) => booleanCell(/^true$/i.test(text)) : textCell),
  };
}

const wholeText = /^[ \t\n\v\f\r]*([+-]?\d+)([^]*)$/;
const blank = /^[ \t\n\v\f\r]*$/;
const [leastInt, mostInt, mostUnsigned] = [-(2n ** 63n), 2n ** 63n - 1n, 2n ** 64n - 1n];

/**
 * Whether a column holds 64-bit ints. One that does not fit makes it a column of texts, or of unsigned ints if all fit those.
 * Beside unsigned ints, negative or missing values make all cells texts.
 */
function intKind(
  texts: readonly string[],
  hasMissing: boolean,
): 'ints' | 'texts' | 'missing-as-texts' | 'other' {
  const ints = texts.map((text) => {
    const [, digits, rest = ''] = wholeText.exec(text) ?? [];
    return digits === undefined
      ? null
      : { value: BigInt(digits.replace('+', '')), whole: blank.test(rest) };
  });
  const fits = (value: bigint): boolean => value >= leastInt && value <= mostInt;
  const first = ints.find((int) => int === null || !int.whole || !fits(int.value));
  if (first === undefined) return 'ints';
  if (first === null || fits(first.value)) return 'other';
  for (const int of ints) {
    if (int === null) return 'other';
    if (int.value > mostUnsigned) return 'texts';
    if (int.value >= 0 && !int.whole) return 'other';
  }
  const negative = ints.some((int) => int !== null && int.value < 0);
  if (!ints.some((int) => int !== null && int.value > mostInt)) return 'texts';
  return negative || hasMissing ? 'missing-as-texts' : 'ints';
}

const decimalText = /^[ \t\n\v\f\r]*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?[ \t\n\v\f\r]*$/i;
const infinityText = /^[+-]?(?:inf|infinity)$/i;

const isFloatText = (text: string): boolean =>
  decimalText.test(text) ? Number.isFinite(Number(text)) : infinityText.test(text);

const floatOf = (text: string): number =>
  infinityText.test(text) ? (text.startsWith('-') ? -Infinity : Infinity) : Number(text);

/** The frame that DuckDB 1.4 makes of a table for pandas 2.3. */
const columnsFromDuckdb = ({ columns, rows }: TableResult): readonly PandasColumn[] =>
  columns.map(({ type }, index) => {
    const cells = rows.map((row) => row[index] ?? null);
    return { kind: frameKind(type, cells.includes(null)), cells: cells.map(cellReader(type)) };
  });

const isFrameFloat = (type: string): boolean =>
  isFloatType(type) || isDecimalType(type) || /^U?HUGEINT$/.test(type);

function frameKind(type: string, hasNull: boolean): PandasColumn['kind'] {
  if (isFrameFloat(type)) return 'floats';
  return isIntegerType(type) && !hasNull ? 'ints' : 'other';
}

function cellReader(type: string): (cell: Cell) => PandasCell {
  if (isFrameFloat(type)) {
    return (cell) => {
      const value = cell === null ? NaN : Number(cell);
      return Number.isNaN(value) ? missing : floatCell(value);
    };
  }
  if (/^(?:VARCHAR|JSON|ENUM|DATE|TIMESTAMP)/.test(type)) {
    const isTime = /^(?:DATE|TIMESTAMP)/.test(type);
    return (cell) => {
      if (cell === null) return none;
      const text = cellText(cell);
      return isTime ? instantCell(text) : textCell(text);
    };
  }
  return (cell) => (cell === null ? unknown : otherCell(cell, type));
}

function otherCell(cell: Exclude<Cell, null>, type: string): PandasCell {
  if (typeof cell === 'boolean') return booleanCell(cell);
  if (isIntegerType(type) && typeof cell !== 'object') return intCell(BigInt(cell));
  const text = JSON.stringify(cell);
  // numpy compares arrays item by item: only one item gives one answer.
  const comparable = !Array.isArray(cell) || cell.length === 1;
  return { text, value: comparable ? `${type} ${text}` : NaN };
}

/** @param iso - a date is its midnight */
function instantCell(iso: string): PandasCell {
  const [, date = iso, time = '00:00:00', fraction = '', zone = ''] =
    /^([^ T]*)(?:[T](\d+:\d+:\d+)(?:\.(\d+))?(Z)?)?$/.exec(iso) ?? [];
  const digits = fraction === '' ? '' : `.${fraction.padEnd(6, '0')}`;
  const text = `${date} ${time}${digits}${zone === '' ? '' : '+00:00'}`;
  return { text, value: `time ${text}` };
}

/** `math.isclose` has the relative one by default. */
const [relativeTolerance, absoluteTolerance] = [1e-9, 1e-2];

/**
 * Spider 2.0-lite: each column of a gold equals some column of the predicted result, numbers to ±0.01 and NULL as 0, after both
 * were written to CSV and read again. Columns may be used twice; other predicted columns and all names are free.
 */
export function spider2LiteMatch(comparison: ResultComparison): ExecutionMatch {
  const { golds, conditionColumns = [] } = comparison;
  return matchAny(comparison, {
    read: (result) =>
      columnsFromCsv(result).map((column) => ({ ...column, cells: column.cells.map(nullAsZero) })),
    conditionsOf: (index) => {
      if (golds.length === 1) return positions(conditionColumns);
      if (areAll(conditionColumns)) return [];
      const perGold = conditionColumns.every((each) => typeof each === 'object');
      return perGold ? positions(conditionColumns[index]) : positions(conditionColumns);
    },
  });
}

/** Spider 2.0-DBT: as Spider 2.0-lite, but columns keep their types in DuckDB, and NULL equals NULL only. */
export function spider2DbtMatch(comparison: ResultComparison): ExecutionMatch {
  const { golds, conditionColumns = [] } = comparison;
  return matchAny(comparison, {
    read: columnsFromDuckdb,
    conditionsOf: (index) => {
      if (golds.length === 1) return positions(conditionColumns);
      return areAll(conditionColumns) ? [] : positions(conditionColumns[index]);
    },
  });
}

const nullAsZero = (cell: PandasCell): PandasCell =>
  cell.value === null ? { text: '0', value: 0 } : cell;

type Conditions = number | readonly number[] | readonly (readonly number[])[] | undefined;

/** Null if it is not a list of positions, where the original ends with an error. */
const positions = (conditions: Conditions): readonly number[] | null =>
  typeof conditions === 'object' && conditions.every((each) => typeof each === 'number')
    ? conditions
    : null;

/** `[]` and `[[]]`. */
const areAll = (conditions: readonly (number | readonly number[])[]): boolean =>
  conditions.flat().length === 0 && conditions.length <= 1;

interface Reading {
  readonly read: (result: ResultComparison['predicted']) => readonly PandasColumn[];
  /** The positions of the columns of a gold that count; empty for all. Null if they are malformed. */
  readonly conditionsOf: (gold: number) => readonly number[] | null;
}

/** Compares with each gold until one is equal. Malformed positions end it, as they raise an error in the original. */
function matchAny(
  { predicted, golds, ignoreOrder = false }: ResultComparison,
  { read, conditionsOf }: Reading,
): ExecutionMatch {
  const vectorsOf = (columns: readonly PandasColumn[]) =>
    vectors(columns).map((cells) => (ignoreOrder ? cells.toSorted(byText) : cells));
  const given = vectorsOf(read(predicted));
  let match = unmatched('There is no gold.');
  for (const [index, gold] of golds.entries()) {
    const columns = select(read(gold), conditionsOf(index));
    if (!columns) return unmatched('The condition columns are no columns of the gold.');
    const missing = vectorsOf(columns).findIndex(
      (column) => !given.some((candidate) => vectorsEqual(column, candidate)),
    );
    if (missing === -1) return matched;
    match = unmatched(`No column equals column ${missing + 1} of those that count in the gold.`);
  }
  return match;
}

function select(
  columns: readonly PandasColumn[],
  wanted: readonly number[] | null,
): readonly PandasColumn[] | null {
  if (wanted?.length === 0) return columns;
  const selected = wanted?.flatMap((position) => columns.at(position) ?? []);
  return selected?.length === wanted?.length ? (selected ?? null) : null;
}

type Vector = readonly PandasCell[];

/** The columns of a frame. In a frame of numbers alone, a float makes floats of all. */
function vectors(columns: readonly PandasColumn[]): readonly Vector[] {
  const numbers = columns.every(({ kind }) => kind !== 'other');
  if (!numbers || columns.every(({ kind }) => kind === 'ints')) {
    return columns.map(({ cells }) => cells);
  }
  return columns.map(({ cells }) =>
    cells.map((cell) =>
      typeof cell.value === 'number' ? { ...cell, text: floatText(cell.value) } : cell,
    ),
  );
}

/** Python sorts the values by their texts: 10 comes before 9. */
const byText = (a: PandasCell, b: PandasCell): number =>
  Number(a.last ?? false) - Number(b.last ?? false) ||
  byCodePoint(a.text, b.text) ||
  Number(typeof a.value === 'number') - Number(typeof b.value === 'number');

const vectorsEqual = (a: Vector, b: Vector): boolean =>
  a.length === b.length && a.every((cell, index) => valuesEqual(cell.value, b[index]?.value));

const valuesEqual = (a: PandasCell['value'], b: PandasCell['value'] | undefined): boolean =>
  typeof a === 'number' && typeof b === 'number'
    ? isClose(a, b, relativeTolerance, absoluteTolerance)
    : a === b;
