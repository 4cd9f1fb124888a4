/** A cell of a table. Rows and columns are counted from 0, the last ones included. */
export interface TableCell {
  readonly row: number;
  readonly lastRow: number;
  readonly column: number;
  readonly lastColumn: number;
}

export interface TextCell extends TableCell {
  readonly text: string;
  readonly isHeader: boolean;
}

/** `<table>` with `<tr>`, `<th>` and `<td>`; places without a cell are empty `<td>`. Of cells that overlap, the first stays. */
export function tableHtml(cells: readonly TextCell[]): string {
  const columns = cells.reduce((count, { lastColumn }) => Math.max(count, lastColumn + 1), 0);
  const rows = cells.reduce((count, { lastRow }) => Math.max(count, lastRow + 1), 0);
  const taken = new Set<string>();
  const starts = new Map<string, TextCell>();
  for (const cell of cells) {
    const places = placesOf(cell);
    if (places.some((place) => taken.has(place))) continue;
    starts.set(`${cell.row} ${cell.column}`, cell);
    for (const place of places) taken.add(place);
  }
  const written = Array.from({ length: rows }, (_, row) => {
    const parts = Array.from({ length: columns }, (__, column) => {
      const cell = starts.get(`${row} ${column}`);
      if (cell !== undefined) return cellHtml(cell);
      return taken.has(`${row} ${column}`) ? '' : '<td></td>';
    });
    return `<tr>${parts.join('')}</tr>`;
  });
  return `<table>${written.join('')}</table>`;
}

function placesOf({ row, lastRow, column, lastColumn }: TableCell): readonly string[] {
  const places: string[] = [];
  for (let y = row; y <= lastRow; y += 1) {
    for (let x = column; x <= lastColumn; x += 1) places.push(`${y} ${x}`);
  }
  return places;
}

function cellHtml({ row, lastRow, column, lastColumn, text, isHeader }: TextCell): string {
  const span = (name: string, count: number): string => (count > 1 ? ` ${name}="${count}"` : '');
  const spans = span('rowspan', lastRow - row + 1) + span('colspan', lastColumn - column + 1);
  const tag = isHeader ? 'th' : 'td';
  return `<${tag}${spans}>${escapeHtml(text)}</${tag}>`;
}

/** Escapes a text for HTML or XML. Characters that XML does not allow stay as they are. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
