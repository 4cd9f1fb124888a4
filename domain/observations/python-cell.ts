import { str } from '../python/text.js';
import { pythonFromJson } from '../python/value.js';
import { numpyText } from './numpy-text.js';
import type { Cell } from './table-result.js';

/** Python's `str` of the value that DuckDB hands pandas for a cell. @param type - DuckDB's name of the column's type */
export function pythonText(cell: Cell, type: string): string {
  const itemType = itemTypeOf(type);
  return itemType !== null && isList(cell) ? numpyText(cell, itemType) : str(pythonFromJson(cell));
}

/** Of `VARCHAR[]` it is `VARCHAR`; null for what is no list or array. */
export const itemTypeOf = (type: string): string | null => /^(.*)\[\d*\]$/.exec(type)?.[1] ?? null;

// Array.isArray does not narrow a union that holds a readonly array.
export const isList = (cell: Cell): cell is readonly Cell[] => Array.isArray(cell);
