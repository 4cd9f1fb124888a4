import type { DuckDBResult } from '@duckdb/node-api';
import type { Cell, Column, TableResult } from '../../../domain/observations/table-result.js';
import { toCell } from './cell.js';
import { limits } from './limits.js';

/**
 * Reads a streamed result up to `maxRows` or `limits.resultCharacters`, whichever comes first; what is left is not converted.
 * A cell beyond `limits.cellCharacters`, or beyond the room in the first row, becomes its first characters and a note of how many there were.
 */
export async function readRows(result: DuckDBResult, maxRows: number): Promise<TableResult> {
  const columns = columnsOf(result);
  const rows: (readonly Cell[])[] = [];
  let room: number = limits.resultCharacters;

  for (;;) {
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) return { columns, rows, more: false };
    for (let index = 0; index < chunk.rowCount; index += 1) {
      if (rows.length >= maxRows) return { columns, rows, more: true };
      const row = boundedRow(chunk.convertRowValues(index, toCell));
      room -= row.characters;
      if (room < 0 && rows.length > 0) return { columns, rows, more: true };
      rows.push(row.cells);
    }
  }
}

function columnsOf(result: DuckDBResult): readonly Column[] {
  return result.columnTypes().map((type, index) => ({
    name: result.columnName(index),
    type: type.alias ?? type.toString(),
  }));
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
