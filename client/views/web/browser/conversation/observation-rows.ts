/** The rows of a result. */
export interface TableRows {
  readonly columns: readonly string[];
  /** What is neither a text, a number nor null is shown as JSON. */
  readonly rows: readonly (readonly unknown[])[];
  /** What the result says of rows that it leaves out; empty where it has all. */
  readonly note: string;
}

/** The rows of an observation, from its text. Null if there are none, or the text cannot be parsed. */
export function observationRows(text: string): TableRows | null {
  if (text.startsWith('{')) return jsonRows(text);
  if (text.startsWith('|') || text.startsWith('+-')) return pipedRows(text);
  return text.startsWith('<table') ? htmlRows(text) : null;
}

function jsonRows(text: string): TableRows | null {
  const lines = text.split('\n');
  const shown = linesThatBegin(lines, /^\{/);
  const objects = shown.map(objectIn).filter((object) => object !== null);
  if (objects.length < shown.length) return null;
  const columns = [...new Set(objects.flatMap((object) => Object.keys(object)))];
  return {
    columns,
    rows: objects.map((object) => columns.map((column) => object[column])),
    note: noteAfter(lines.slice(shown.length)),
  };
}

function objectIn(line: string): Readonly<Record<string, unknown>> | null {
  try {
    // JSON that begins with a brace is an object.
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return null;
  }
}

function pipedRows(text: string): TableRows | null {
  const lines = text.split('\n');
  const drawn = linesThatBegin(lines, /^[|+]/);
  const cells = drawn
    .filter((line) => line.startsWith('|') && !/^\|( ?-+ ?\|)+$/.test(line))
    .map(cellsOf);
  return tableOf(cells, lines.slice(drawn.length));
}

const cellsOf = (line: string): readonly string[] =>
  line
    .slice(1, line.lastIndexOf('|'))
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|').replaceAll('<br>', '\n'));

function htmlRows(text: string): TableRows | null {
  const end = text.lastIndexOf('</table>');
  const cells = [...text.slice(0, end).matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<(th|td)>(.*?)<\/\1>/gs)].map(([, , cell = '']) => plain(cell)),
  );
  return tableOf(cells, text.slice(end + '</table>'.length).split('\n'));
}

/** @param cell - in which only three characters are escaped */
const plain = (cell: string): string =>
  cell.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** Null unless every row has as many cells as the first one. */
function tableOf(
  [columns, ...rows]: readonly (readonly string[])[],
  after: readonly string[],
): TableRows | null {
  if (columns === undefined || rows.some((row) => row.length !== columns.length)) return null;
  return { columns, rows, note: noteAfter(after) };
}

/** Those before the first line that begins otherwise. */
function linesThatBegin(lines: readonly string[], so: RegExp): readonly string[] {
  const end = lines.findIndex((line) => !so.test(line));
  return end === -1 ? lines : lines.slice(0, end);
}

const noteAfter = (lines: readonly string[]): string => lines.join('\n').trim();
