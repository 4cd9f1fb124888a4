import { missingObject, type PandasColumn } from './pandas-frame.js';
import { pandasFloats } from './pandas-float.js';
import { instantPrecision, instantText, isMidnight } from './pandas-instant.js';
import { pandasNested } from './pandas-nested.js';
import { pythonText } from './python-cell.js';
import type { Cell } from './table-result.js';

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

/** Days alone where no cell holds more, else all to the finest fraction of a second. */
function displayedInstants(cells: readonly Cell[]): readonly string[] {
  const instants = cells.map((cell) => (typeof cell === 'string' ? cell : null));
  const known = instants.filter((instant) => instant !== null);
  const digits = Math.max(...known.map(instantPrecision));
  const text = known.every(isMidnight)
    ? (instant: string) => instant.slice(0, 10)
    : (instant: string) => instantText(instant, ' ', digits);
  return instants.map((instant) => (instant === null ? 'NaT' : text(instant)));
}
