import { clampSpan } from '../parsers/html-table.js';
import { tableHtml, type TextCell } from '../tables/table-html.js';
import { environmentsOf, groupAt, optionAt, splitOutside } from './arguments.js';

export const tabularNames = [
  'tabular',
  'tabularx',
  'tabulary',
  'longtable',
  'supertabular',
  'xltabular',
  'tblr',
];

const rule =
  /\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot|addlinespace|noalign\s*\{[^{}]*\})(?:\s*\[[^\]]*\])?|\\(?:cline|cmidrule)(?:\s*\([^)]*\))?(?:\s*\[[^\]]*\])?\s*\{[^{}]*\}|\\rowcolors?(?:\s*\[[^\]]*\])?\s*\{[^{}]*\}/g;

/**
 * The cells of a `tabular` and its kin as `PaperTable.html`; null where it has no text. The rows above the first rule inside it
 * are headers.
 * @param text - what a cell prints
 */
export function tabularHtml(source: string, text: (latex: string) => string): string | null {
  const [table] = environmentsOf(source, tabularNames);
  if (table === undefined) return null;
  const body = withoutArguments(table.body, table.name).replace(
    /\\caption\s*(?:\[[^\]]*\])?\s*\{[^{}]*\}/g,
    '',
  );
  const rows = splitOutside(body, '\\\\');
  const cells: TextCell[] = [];
  const open = new Map<number, number>();
  let row = 0;
  let headerRows: number | null = null;
  for (const line of rows) {
    // A long table repeats its header for further pages.
    if (/\\end(?:first)?head\b/.test(line) && headerRows !== null && /\\endhead/.test(line)) {
      const first = cells.findIndex((cell) => cell.row >= (headerRows ?? 0));
      if (first !== -1) cells.splice(first);
      row = headerRows;
    }
    if (row > 0 && headerRows === null && /\\(?:hline|midrule|endhead|endfirsthead)\b/.test(line))
      headerRows = row;
    const printed = line.replace(rule, ' ');
    if (printed.trim() === '') continue;
    let column = 0;
    for (const part of splitOutside(printed, '&')) {
      const { columns, down, content } = readCell(part);
      const value = text(content);
      const isCovered = (open.get(column) ?? 0) > row && value === '';
      if (!isCovered) {
        cells.push({
          row,
          lastRow: row + down - 1,
          column,
          lastColumn: column + columns - 1,
          text: value,
          isHeader: false,
        });
        for (let at = column; at < column + columns; at += 1) open.set(at, row + down);
      }
      column += columns;
    }
    row += 1;
  }
  if (cells.every((cell) => cell.text === '')) return null;
  return tableHtml(
    cells.map((cell) => ({
      ...cell,
      lastRow: Math.min(cell.lastRow, row - 1),
      isHeader: cell.row < (headerRows !== null && headerRows < row ? headerRows : 0),
    })),
  );
}

/** Without position, width and columns. */
function withoutArguments(body: string, name: string): string {
  let at = 0;
  const groups = /^tabular[xy]$|^xltabular$/.test(name) ? 2 : 1;
  for (let left = groups; left > 0; left -= 1) {
    at = optionAt(body, at)?.end ?? at;
    at = groupAt(body, at)?.end ?? at;
  }
  return body.slice(at);
}

function readCell(part: string): {
  readonly columns: number;
  readonly down: number;
  readonly content: string;
} {
  let [columns, down, content] = [1, 1, part];
  for (;;) {
    const [command, name] = /^\s*\\(multicolumn|multirow)\*?/.exec(content) ?? [];
    if (command === undefined) return { columns, down, content };
    const options = optionAt(content, command.length);
    const count = groupAt(content, options?.end ?? command.length);
    const between = count && optionAt(content, count.end);
    const width = count && groupAt(content, between?.end ?? count.end);
    // A width may be a star without a group.
    const star =
      count && width === null ? /^\s*\*/.exec(content.slice(count.end))?.[0].length : undefined;
    const after =
      width?.end ?? (star === undefined || count === null ? undefined : count.end + star);
    const shift = after === undefined ? null : optionAt(content, after);
    const inner = after === undefined ? null : groupAt(content, shift?.end ?? after);
    if (count === null || inner === null) return { columns, down, content };
    if (name === 'multicolumn') columns = clampSpan(count.content);
    // Rows that are counted upwards hold their text in the last one.
    else down = clampSpan(count.content);
    content = inner.content;
  }
}
