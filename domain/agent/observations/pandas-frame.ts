import { floatText, repr, str, pythonFromJson, type Json } from '../../formats/python/value.js';
import { roundTo } from '../../statistics/rounding.js';
import type { Cell, TableResult } from './tool-outcome.js';

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

/** A cell as plain text: strings as they are, other values as JSON. */
export const cellText = (cell: Cell): string =>
  typeof cell === 'string' ? cell : JSON.stringify(cell);

/** Python's `str` of the value that pandas receives from DuckDB. @param type - DuckDB's name of the column's type */
export function pythonText(cell: Cell, type: string): string {
  const itemType = itemTypeOf(type);
  return itemType !== null && isList(cell) ? numpyText(cell, itemType) : str(pythonFromJson(cell));
}

/** `VARCHAR` for `VARCHAR[]`; null for a type that is not a list or an array. */
const itemTypeOf = (type: string): string | null => /^(.*)\[\d*\]$/.exec(type)?.[1] ?? null;

// Array.isArray does not narrow a union that holds a readonly array.
const isList = (cell: Cell): cell is readonly Cell[] => Array.isArray(cell);

const lineWidth = 75;
/** numpy shows longer arrays by their first and last three items. */
const threshold = 1000;
const edge = 3;

/**
 * Python's `str` of the numpy array that pandas receives for a LIST: items separated by spaces, in lines of 75 characters.
 * Exact for strings, integers and booleans, and for floats that numpy shows without exponent. Nested lists are shown as
 * Python lists.
 */
function numpyText(items: readonly Json[], itemType: string): string {
  const summarised = items.length > threshold;
  const shown = summarised ? [...items.slice(0, edge), ...items.slice(-edge)] : items;
  const words = itemWords(shown, itemType);
  return wrapped(summarised ? words.toSpliced(edge, 0, '...') : words);
}

function itemWords(items: readonly Json[], itemType: string): readonly string[] {
  if (items.some((item) => item === null)) {
    const missing = /^(?:VARCHAR|JSON)$/.test(itemType) ? 'None' : '--';
    return items.map((item) => (item === null ? missing : repr(pythonFromJson(item))));
  }
  if (items.every((item) => typeof item === 'number')) {
    return /^(?:DOUBLE|FLOAT|DECIMAL)/.test(itemType)
      ? floatWords(items)
      : padded(items.map(String));
  }
  if (items.every((item) => typeof item === 'boolean')) {
    return padded(items.map((item) => (item ? 'True' : 'False')));
  }
  return items.map((item) => repr(pythonFromJson(item)));
}

const padded = (words: readonly string[]): readonly string[] => {
  const width = Math.max(...words.map((word) => word.length));
  return words.map((word) => word.padStart(width));
};

/** Aligned at the decimal point. */
function floatWords(items: readonly number[]): readonly string[] {
  const parts = items.map((item) => {
    const [whole = '', fraction = ''] = floatText(Number(item.toFixed(8)))
      .replace(/\.0$/, '.')
      .split('.');
    return { whole, fraction };
  });
  const before = Math.max(...parts.map(({ whole }) => whole.length));
  const behind = Math.max(...parts.map(({ fraction }) => fraction.length));
  return parts.map(({ whole, fraction }) => `${whole.padStart(before)}.${fraction.padEnd(behind)}`);
}

function wrapped(words: readonly string[]): string {
  const lines: string[] = [];
  let line = ' ';
  for (const word of words) {
    const full = Array.from(line).length + Array.from(word).length > lineWidth - 1;
    if (full && line.length > 1) {
      lines.push(line.trimEnd());
      line = ' ';
    }
    line += `${word} `;
  }
  // The brackets replace the space after the last item and the one before the first.
  return `[${[...lines, line.slice(0, -1)].join('\n').slice(1)}]`;
}

/** A double in pandas' `to_json`: at most ten decimals, `.0` for integral values, `null` for NaN and infinities. */
function pandasNumber(value: number): string {
  if (!Number.isFinite(value)) return 'null';
  const size = Math.abs(value);
  if (size > 1e16 || (size !== 0 && size < 1e-15)) return significantDigits(value);

  // These are the steps of pandas: rounding the exact decimal value would differ in the last digit.
  let whole = Math.trunc(size);
  const scaled = (size - whole) * 1e10;
  let fraction = Math.trunc(scaled);
  const rest = scaled - fraction;
  if (rest > 0.5 || (rest === 0.5 && (fraction === 0 || fraction % 2 === 1))) fraction += 1;
  if (fraction >= 1e10) {
    fraction = 0;
    whole += 1;
  }
  const decimals = fraction.toString().padStart(10, '0').replace(/0+$/, '');
  return `${value < 0 ? '-' : ''}${BigInt(whole).toString()}.${decimals === '' ? '0' : decimals}`;
}

/** C's `%.10g` in its exponent form. */
function significantDigits(value: number): string {
  const [mantissa = '', exponent = ''] = value.toExponential(9).split('e');
  const digits = mantissa.replace(/\.?0+$/, '');
  return `${digits}e${exponent.charAt(0)}${exponent.slice(1).padStart(2, '0')}`;
}

/** pandas' `display.precision`. */
const precision = 6;

/** A column of floats in a pandas table: six decimals without common trailing zeros, or all in exponent form if one needs it. */
function pandasFloats(values: readonly number[]): readonly string[] {
  const written = (text: (value: number) => string): readonly string[] =>
    values.map((value) => (Number.isFinite(value) ? text(value) : notFinite(value)));
  const fixed = withoutCommonZeros(written(fixedText));
  const sizes = values.map(Math.abs);
  const small = sizes.some((size) => size > 0 && size < 10 ** -precision);
  const long = Math.max(...fixed.map((text) => text.length)) > precision + 6;
  return small || (long && sizes.some((size) => size > 1e6)) ? written(exponentText) : fixed;
}

const notFinite = (value: number): string =>
  Number.isNaN(value) ? 'NaN' : value < 0 ? '-inf' : 'inf';

// The two functions below round first, because JavaScript rounds ties up and Python rounds them to the even digit.

function fixedText(value: number): string {
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const size = Math.abs(roundTo(value, precision));
  // `toFixed` uses exponents from 1e21 on.
  return sign + (size < 1e21 ? size.toFixed(precision) : `${BigInt(size)}.000000`);
}

function exponentText(value: number): string {
  const exponent = Number(value.toExponential().split('e')[1]);
  return roundTo(value, precision - exponent)
    .toExponential(precision)
    .replace(/(?<=e[+-])(?=\d$)/, '0');
}

const decimal = /^-?\d+\.\d*$/;

function withoutCommonZeros(texts: readonly string[]): readonly string[] {
  const zeros = texts
    .filter((text) => decimal.test(text))
    .map((text) => text.length - text.replace(/0+$/, '').length);
  if (zeros.length === 0) return texts;
  const common = Math.min(...zeros);
  return texts.map((text) =>
    decimal.test(text) ? text.slice(0, text.length - common).replace(/\.$/, '.0') : text,
  );
}

// The three functions below take a DATE or TIMESTAMP cell in ISO 8601: `2020-01-02`, `2020-01-02T03:04:05.5`, `…Z`.

const isMidnight = (iso: string): boolean => /^[^T]*(?:T00:00:00(?:\.0*)?)?$/.test(iso);

/** Digits of the fraction of a second in pandas: 0, 3, 6 or 9. */
export function instantPrecision(iso: string): number {
  const digits = /\.(\d*?)0*Z?$/.exec(iso)?.[1] ?? '';
  return Math.ceil(digits.length / 3) * 3;
}

/** @param digits - of the fraction of a second. A time in UTC ends in `+00:00`. */
export function instantText(iso: string, separator: ' ' | 'T', digits: number): string {
  const [, date = iso, time = '00:00:00', fraction = '', zone = ''] =
    /^([^T]*)(?:T(\d+:\d+:\d+)(?:\.(\d+))?(Z)?)?$/.exec(iso) ?? [];
  const behind = digits === 0 ? '' : `.${fraction.padEnd(digits, '0').slice(0, digits)}`;
  return `${date}${separator}${time}${behind}${zone === '' ? '' : '+00:00'}`;
}

/** pandas' `display.max_seq_items` and `display.pprint_nest_depth`. */
const maxItems = 100;
const maxDepth = 3;

/** A value in a pandas table: on one line, with pandas' own rendering of lists and dicts. @param type - DuckDB's */
function pandasNested(cell: Cell, type: string): string {
  return nested(cell, { type, depth: 0, quoted: false });
}

interface Place {
  /** DuckDB's type; empty when it is unknown. */
  readonly type: string;
  readonly depth: number;
  readonly quoted: boolean;
}

function nested(cell: Cell, { type, depth, quoted }: Place): string {
  if (typeof cell === 'string') return quoted ? `'${oneLine(cell)}'` : oneLine(cell);
  if (cell === null || typeof cell !== 'object' || depth >= maxDepth) {
    return oneLine(str(pythonFromJson(cell)));
  }
  if (isList(cell)) {
    const itemType = itemTypeOf(type) ?? '';
    const inside = { type: itemType, depth: depth + 1, quoted };
    const items = cell
      .slice(0, maxItems)
      .map((item) =>
        item === null && depth === 0 && !/^(?:VARCHAR|JSON)$/.test(itemType)
          ? '--'
          : nested(item, inside),
      );
    return `[${items.join(', ')}${cell.length > maxItems ? ', ...' : ''}]`;
  }
  const inside = { type: '', depth: depth + 1, quoted: true };
  const entries = Object.entries(cell);
  const pairs = entries
    .slice(0, maxItems)
    .map(([key, value]) => `'${oneLine(key)}': ${nested(value, inside)}`);
  return `{${pairs.join(', ')}${entries.length > maxItems ? ', ...' : ''}}`;
}

/** Replaces line ends and tabs by their escapes. */
export const oneLine = (text: string): string =>
  text.replaceAll('\t', '\\t').replaceAll('\r', '\\r').replaceAll('\n', '\\n');
