/**
 * The rows of an observation, parsed from its text.
 *
 * @typedef {{ columns: readonly string[], rows: readonly (readonly unknown[])[], note: string }} ObservationRows
 */

/**
 * @param {string} text
 * @returns {ObservationRows | null} null if there are no rows, or the text cannot be parsed
 */
export function observationRows(text) {
  if (text.startsWith('{')) return jsonRows(text);
  if (text.startsWith('|') || text.startsWith('+-')) return pipedRows(text);
  return text.startsWith('<table') ? htmlRows(text) : null;
}

/**
 * @param {string} text
 * @returns {ObservationRows | null}
 */
function jsonRows(text) {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('{'));
  const shown = end === -1 ? lines : lines.slice(0, end);
  const objects = shown.map(objectOrNull);
  if (objects.includes(null)) return null;
  const columns = [...new Set(objects.flatMap((object) => Object.keys(object ?? {})))];
  return {
    columns,
    rows: objects.map((object) => columns.map((column) => object?.[column])),
    note: noteAfter(lines.slice(shown.length)),
  };
}

/**
 * @param {string} line
 * @returns {Record<string, unknown> | null}
 */
function objectOrNull(line) {
  try {
    const value = JSON.parse(line);
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * @param {string} text
 * @returns {ObservationRows | null}
 */
function pipedRows(text) {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !/^[|+]/.test(line));
  const drawn = end === -1 ? lines : lines.slice(0, end);
  const [columns, ...rows] = drawn
    .filter((line) => line.startsWith('|') && !/^\|( ?-+ ?\|)+$/.test(line))
    .map(cellsOf);
  if (columns === undefined || rows.some((row) => row.length !== columns.length)) return null;
  return { columns, rows, note: noteAfter(lines.slice(drawn.length)) };
}

/** @param {string} line */
const cellsOf = (line) =>
  line
    .slice(1, line.lastIndexOf('|'))
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|').replaceAll('<br>', '\n'));

/**
 * @param {string} text
 * @returns {ObservationRows | null}
 */
function htmlRows(text) {
  const end = text.lastIndexOf('</table>');
  const [columns, ...rows] = [...text.slice(0, end).matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(
    ([, row = '']) =>
      [...row.matchAll(/<(th|td)>(.*?)<\/\1>/gs)].map(([, , cell = '']) => plain(cell)),
  );
  if (columns === undefined || rows.some((row) => row.length !== columns.length)) return null;
  return { columns, rows, note: noteAfter(text.slice(end + '</table>'.length).split('\n')) };
}

/** @param {string} cell - in which only three characters are escaped */
const plain = (cell) =>
  cell.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** @param {readonly string[]} lines */
const noteAfter = (lines) => lines.join('\n').trim();
