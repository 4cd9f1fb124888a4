import { numpyText } from './numpy-text.js';
import { pandasNumber } from './pandas-number.js';
import { str } from '../python/text.js';
import { pythonFromJson } from '../python/value.js';
import type { Cell, TableResult } from './table-result.js';

/**
 * The first `shown` rows as the reference prints them: pandas' `to_json(orient='records', lines=True)` of the rows
 * one by one, every column of objects turned into texts first (hybrid-agent.md §2.2). One line each, without line ends.
 */
export function pandasLines({ columns, rows }: TableResult, shown: number): readonly string[] {
  const kinds = columns.map(({ type }, index) => columnKind(type, rows, index));
  const upcast = becomesFloat(kinds);
  const kept = rows.slice(0, shown);
  const writers = columns.map(({ name, type }, index) => {
    const kind = upcast ? 'float' : (kinds[index] ?? 'object');
    const gap = kept.some((row) => row[index] === null);
    const write = cellWriter(kind, type, gap);
    return (row: readonly Cell[]) => `${pandasString(name)}:${write(row[index] ?? null)}`;
  });
  return kept.map((row) => `{${writers.map((write) => write(row)).join(',')}}`);
}

type ColumnKind =
  'int' | 'nullable-int' | 'float' | 'bool' | 'nullable-bool' | 'instant' | 'object';

/** A NULL in any fetched row, shown or not, changes the type of the whole column. */
function columnKind(type: string, rows: readonly (readonly Cell[])[], index: number): ColumnKind {
  const nullable = rows.some((row) => row[index] === null);
  if (/^U?(?:TINY|SMALL|BIG)?INT(?:EGER)?$/.test(type)) return nullable ? 'nullable-int' : 'int';
  if (/^(?:DOUBLE|FLOAT|U?HUGEINT|DECIMAL\(\d+,\d+\))$/.test(type)) return 'float';
  if (type === 'BOOLEAN') return nullable ? 'nullable-bool' : 'bool';
  return /^(?:DATE|TIMESTAMP[^[]*)$/.test(type) ? 'instant' : 'object';
}

/** A row of numbers alone has one type; a row with anything else in it keeps each value's own. */
function becomesFloat(kinds: readonly ColumnKind[]): boolean {
  if (kinds.length === 1) return kinds[0] === 'nullable-int';
  return kinds.includes('float') && kinds.every((kind) => kind === 'int' || kind === 'float');
}

/** `gap`: whether a shown row holds NULL here. */
function cellWriter(kind: ColumnKind, type: string, gap: boolean): (cell: Cell) => string {
  switch (kind) {
    case 'int':
      return pythonText;
    case 'nullable-int':
      return gap ? (cell) => pandasString(cell === null ? '<NA>' : pythonText(cell)) : pythonText;
    case 'float':
      return (cell) => (cell === null ? 'null' : pandasNumber(Number(cell)));
    case 'bool':
      return JSON.stringify;
    case 'nullable-bool':
      return gap
        ? (cell) => pandasString(cell === null ? '<NA>' : pythonText(cell))
        : JSON.stringify;
    case 'instant':
      return (cell) => (cell === null ? 'null' : epochMilliseconds(pythonText(cell)));
    case 'object':
      return (cell) => pandasString(objectText(cell, type));
  }
}

/** Python's `str` of the value of an object column. */
function objectText(cell: Cell, type: string): string {
  if (cell === null) return /^(?:VARCHAR|JSON)$/.test(type) ? 'None' : '<NA>';
  const list = /^(.*)\[\d*\]$/.exec(type);
  return list && isList(cell) ? numpyText(cell, list[1] ?? '') : pythonText(cell);
}

// Array.isArray does not narrow a union that holds a readonly array.
const isList = (cell: Cell): cell is readonly Cell[] => Array.isArray(cell);

const pythonText = (cell: Cell): string => str(pythonFromJson(cell));

/** Of an ISO date, or an ISO time that means UTC where it names no zone. */
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
