import type { Cell } from '../../domain/agent/observations/tool-outcome.js';
import { limits } from './duckdb/messages.js';

export interface BoundedRows {
  readonly rows: readonly (readonly Cell[])[];
  /** Keeps a row, or returns false, and the result has more rows than are kept. */
  readonly add: (cells: readonly Cell[]) => boolean;
}

/**
 * Keeps rows up to `maxRows` or `limits.resultCharacters`, whichever is reached first. A cell longer than
 * `limits.cellCharacters`, or too long for the first row, is cut, with a note of its length.
 */
export function boundedRows(maxRows: number): BoundedRows {
  const rows: (readonly Cell[])[] = [];
  let room: number = limits.resultCharacters;
  return {
    rows,
    add: (cells) => {
      if (rows.length >= maxRows) return false;
      const row = boundedRow(cells);
      room -= row.characters;
      if (room < 0 && rows.length > 0) return false;
      rows.push(row.cells);
      return true;
    },
  };
}

function boundedRow(cells: readonly Cell[]): {
  readonly cells: readonly Cell[];
  readonly characters: number;
} {
  let characters = 0;
  const kept = cells.map((cell) => {
    const text = typeof cell === 'object' && cell !== null ? JSON.stringify(cell) : String(cell);
    const limit = Math.min(limits.cellCharacters, limits.resultCharacters - characters);
    characters += Math.min(text.length, limit);
    return text.length <= limit
      ? cell
      : `${text.slice(0, limit)}… [cut: ${text.length} characters in all]`;
  });
  return { cells: kept, characters };
}

/** An integer as JSON: a text where a number would lose digits. */
export function integerCell(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}
