import { Parser } from 'htmlparser2';
import { tableHtml, type TextCell } from '../tables/table-html.js';

/** HTML allows 1,000 columns and 65,534 rows; tables of papers have fewer, and a wrong number would fill the memory. */
const largestSpan = 1000;

export const clampSpan = (span: unknown): number =>
  Math.min(Math.max(Math.trunc(Number(span)) || 1, 1), largestSpan);

/** The first table of an HTML text with its cells only, as `PaperTable.html`; null where it has no text. */
export function readHtmlTable(html: string): string | null {
  const cells: TextCell[] = [];
  const taken = new Set<string>();
  let row = -1;
  let text: string | null = null;
  let inHead = false;
  let open: Omit<TextCell, 'text'> | null = null;
  const parser = new Parser({
    onopentag: (name, { rowspan, colspan }) => {
      if (name === 'thead') inHead = true;
      if (name === 'tr') row += 1;
      if (name !== 'td' && name !== 'th') return;
      const at = Math.max(row, 0);
      let column = 0;
      while (taken.has(`${at} ${column}`)) column += 1;
      open = {
        row: at,
        column,
        lastRow: at + clampSpan(rowspan) - 1,
        lastColumn: column + clampSpan(colspan) - 1,
        isHeader: inHead || name === 'th',
      };
      for (let y = open.row; y <= open.lastRow; y += 1) {
        for (let x = column; x <= open.lastColumn; x += 1) taken.add(`${y} ${x}`);
      }
      text = '';
    },
    ontext: (part) => {
      if (text !== null) text += part;
    },
    onclosetag: (name) => {
      if (name === 'thead') inHead = false;
      if ((name !== 'td' && name !== 'th') || open === null) return;
      cells.push({ ...open, text: (text ?? '').replace(/\s+/g, ' ').trim() });
      open = null;
      text = null;
    },
  });
  parser.end(html);
  const rows = row + 1;
  return cells.some((cell) => cell.text !== '')
    ? tableHtml(cells.map((cell) => ({ ...cell, lastRow: Math.min(cell.lastRow, rows - 1) })))
    : null;
}
