import { byCodePoint, floatText } from '../../formats/python/text.js';
import { isClose } from '../../statistics/rounding.js';
import {
  columnsFromCsv,
  columnsFromDuckdb,
  type PandasCell,
  type PandasColumn,
} from './pandas-columns.js';
import {
  matched,
  unmatched,
  type ExecutionMatch,
  type ResultComparison,
} from './result-comparison.js';

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
