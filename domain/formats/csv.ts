/** A record of a CSV file, with the number of its first line (from 1). */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

type CsvReading =
  | { readonly kind: 'records'; readonly records: readonly CsvRecord[] }
  | { readonly kind: 'problem'; readonly problem: string };

/**
 * Reads CSV (RFC 4180): cells in quotation marks may contain separators, line breaks and doubled quotation marks. Empty lines
 * and a byte order mark are skipped.
 */
export function readCsv(text: string, separator: string): CsvReading {
  const records: CsvRecord[] = [];
  const source = text.replace(/^\uFEFF/, '');
  let line = 1;
  let at = 0;
  while (at < source.length) {
    const begin = line;
    const cells: string[] = [];
    for (;;) {
      const cell = readCell(source, at, separator);
      if (cell === null) {
        return { kind: 'problem', problem: `line ${line}: a quotation mark is not closed rightly` };
      }
      cells.push(cell.text);
      line += source.slice(at, cell.end).split('\n').length - 1;
      at = cell.end;
      if (source[at] !== separator) break;
      at += 1;
    }
    at += source.startsWith('\r\n', at) ? 2 : 1;
    line += 1;
    if (cells.length > 1 || cells[0] !== '') records.push({ line: begin, cells });
  }
  return { kind: 'records', records };
}

/** Reads the cell at `at`; `end` is the position after it. Null when the closing quotation mark is missing or text follows it. */
function readCell(
  source: string,
  at: number,
  separator: string,
): { readonly text: string; readonly end: number } | null {
  if (source[at] !== '"') {
    let end = at;
    while (end < source.length && !isEnd(source, end, separator)) end += 1;
    return { text: source.slice(at, end), end };
  }
  let text = '';
  let from = at + 1;
  for (;;) {
    const quote = source.indexOf('"', from);
    if (quote === -1) return null;
    text += source.slice(from, quote);
    if (source[quote + 1] === '"') {
      text += '"';
      from = quote + 2;
      continue;
    }
    const end = quote + 1;
    return end === source.length || isEnd(source, end, separator) ? { text, end } : null;
  }
}

const isEnd = (source: string, at: number, separator: string): boolean =>
  source[at] === separator || source[at] === '\n' || source.startsWith('\r\n', at);
