import { strip } from '../python/text.js';

/**
 * A table as tabulate's format `pretty` draws it: a border, everything centred, a cell's own lines kept. Where any
 * cell has several lines, an empty one has none, so that a row of nothing is not drawn.
 */
export function prettyTable(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const cells = rows.map((row) => row.map(strip));
  const severalLines = [headers, ...cells].flat().some((cell) => lineEnd.test(cell));
  const linesOf = (cell: string): readonly string[] =>
    severalLines && cell === '' ? [] : cell.split(lineEnd);
  const head = headers.map(linesOf);
  const body = cells.map((row) => row.map(linesOf));
  const widths = headers.map((_, index) =>
    Math.max(0, ...[head, ...body].flatMap((row) => (row[index] ?? []).map(width))),
  );
  const rule = `+${widths.map((size) => '-'.repeat(size + 2)).join('+')}+`;
  const drawn = (row: readonly (readonly string[])[]): string[] => {
    const height = Math.max(...row.map((lines) => lines.length));
    return Array.from({ length: height }, (_, at) => {
      const line = widths.map((size, index) => ` ${centred(row[index]?.[at] ?? '', size)} `);
      return `|${line.join('|')}|`;
    });
  };
  return [rule, ...drawn(head), rule, ...body.flatMap(drawn), rule].join('\n');
}

const lineEnd = /\r\n|[\r\n]/;

/** As Python counts characters. */
const width = (text: string): number => Array.from(text).length;

/** The odd blank goes to the right. */
function centred(text: string, size: number): string {
  const blanks = Math.max(0, size - width(text));
  const left = Math.floor(blanks / 2);
  return ' '.repeat(left) + text + ' '.repeat(blanks - left);
}
