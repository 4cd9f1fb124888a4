import {
  instantPrecision,
  instantText,
  isMidnight,
  pandasFloats,
  pandasNested,
  pandasNumber,
  pythonText,
} from './pandas-cell.js';
import type { Cell, TableResult } from './table-result.js';

type PandasKind = 'int' | 'float' | 'bool' | 'instant' | 'object';

export interface PandasColumn {
  readonly name: string;
  /** DuckDB's name of the type. */
  readonly type: string;
  readonly kind: PandasKind;
  readonly cells: readonly Cell[];
}

/**
 * The data frame that the reference system renders. It adds the first `shown` rows one by one, so that a column's type
 * depends on the other columns and on the rows shown.
 */
export function pandasFrame(
  { columns, rows }: TableResult,
  shown: number,
): readonly PandasColumn[] {
  const kinds = columns.map(({ type }, index) => fetchedKind(type, rows, index));
  const upcast = becomesFloat(kinds);
  const kept = rows.slice(0, shown);
  return columns.map(({ name, type }, index) => {
    const cells = kept.map((row) => row[index] ?? null);
    const kind = upcast ? 'float' : keptKind(kinds[index] ?? 'object', cells);
    return { name, type, kind, cells };
  });
}

type FetchedKind = PandasKind | 'nullable-int' | 'nullable-bool';

/** A NULL in any fetched row changes the column's type, even if the row is not shown. */
function fetchedKind(type: string, rows: readonly (readonly Cell[])[], index: number): FetchedKind {
  const nullable = rows.some((row) => row[index] === null);
  if (/^U?(?:TINY|SMALL|BIG)?INT(?:EGER)?$/.test(type)) return nullable ? 'nullable-int' : 'int';
  if (/^(?:DOUBLE|FLOAT|U?HUGEINT|DECIMAL\(\d+,\d+\))$/.test(type)) return 'float';
  if (type === 'BOOLEAN') return nullable ? 'nullable-bool' : 'bool';
  return /^(?:DATE|TIMESTAMP[^[]*)$/.test(type) ? 'instant' : 'object';
}

/** pandas makes a row of numbers one type. A row with other values keeps the type of each. */
function becomesFloat(kinds: readonly FetchedKind[]): boolean {
  if (kinds.length === 1) return kinds[0] === 'nullable-int';
  return kinds.includes('float') && kinds.every((kind) => kind === 'int' || kind === 'float');
}

function keptKind(kind: FetchedKind, cells: readonly Cell[]): PandasKind {
  if (kind !== 'nullable-int' && kind !== 'nullable-bool') return kind;
  if (cells.includes(null)) return 'object';
  return kind === 'nullable-int' ? 'int' : 'bool';
}

/** The text of a missing value in an object column: `None` for strings, `<NA>` otherwise. */
export const missingObject = (type: string): 'None' | '<NA>' =>
  /^(?:VARCHAR|JSON)$/.test(type) ? 'None' : '<NA>';

/** The cells of a column as pandas' `to_string` and `to_html` write them, before they are aligned or cut. */
export function displayedCells({ type, kind, cells }: PandasColumn): readonly string[] {
  switch (kind) {
    case 'int':
    case 'bool':
      return cells.map((cell) => pythonText(cell, type));
    case 'float':
      return pandasFloats(cells.map((cell) => (cell === null ? NaN : Number(cell))));
    case 'instant':
      return displayedInstants(cells);
    case 'object':
      return cells.map((cell) => (cell === null ? missingObject(type) : pandasNested(cell, type)));
  }
}

/** Dates without times when all are midnight; otherwise all times with the longest fraction of a second. */
function displayedInstants(cells: readonly Cell[]): readonly string[] {
  const instants = cells.map((cell) => (typeof cell === 'string' ? cell : null));
  const known = instants.filter((instant) => instant !== null);
  const digits = Math.max(...known.map(instantPrecision));
  const text = known.every(isMidnight)
    ? (instant: string) => instant.slice(0, 10)
    : (instant: string) => instantText(instant, ' ', digits);
  return instants.map((instant) => (instant === null ? 'NaT' : text(instant)));
}

/**
 * The first `shown` rows as the reference system prints them: pandas' `to_json(orient='records', lines=True)`, with object
 * columns converted to strings first. One line per row, without line ends.
 */
export function pandasLines(table: TableResult, shown: number): readonly string[] {
  const columns = pandasFrame(table, shown).map((column) => {
    const write = cellWriter(column);
    return column.cells.map((cell) => `${pandasString(column.name)}:${write(cell)}`);
  });
  const [first = []] = columns;
  return first.map((_, row) => `{${columns.map((members) => members[row] ?? '').join(',')}}`);
}

function cellWriter({ kind, type }: PandasColumn): (cell: Cell) => string {
  switch (kind) {
    case 'int':
      return (cell) => pythonText(cell, type);
    case 'float':
      return (cell) => (cell === null ? 'null' : pandasNumber(Number(cell)));
    case 'bool':
      return JSON.stringify;
    case 'instant':
      return (cell) => (cell === null ? 'null' : epochMilliseconds(pythonText(cell, type)));
    case 'object':
      return (cell) => pandasString(cell === null ? missingObject(type) : pythonText(cell, type));
  }
}

/** @param iso - a date or a time; UTC if it names no zone */
function epochMilliseconds(iso: string): string {
  const time = Date.parse(iso.includes('T') && !iso.endsWith('Z') ? `${iso}Z` : iso);
  return Number.isNaN(time) ? 'null' : time.toString();
}

/** A JSON string in ASCII, with `/` escaped. */
function pandasString(text: string): string {
  return JSON.stringify(text)
    .replaceAll('/', '\\/')
    .replace(
      /[\u0080-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
}
