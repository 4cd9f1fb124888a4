import { missingObject, pandasFrame, type PandasColumn } from './pandas-frame.js';
import { pandasNumber } from './pandas-number.js';
import { pythonText } from './python-cell.js';
import type { Cell, TableResult } from './table-result.js';

/**
 * The first `shown` rows as the reference prints them: pandas' `to_json(orient='records', lines=True)` with
 * every column of objects turned into texts first (hybrid-agent.md §2.2). One line each, without line ends.
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
