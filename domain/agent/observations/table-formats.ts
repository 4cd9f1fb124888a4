import { escapeHtml } from '../../extraction/tables/table-html.js';
import { floatText, strip } from '../../formats/python/value.js';
import {
  cellText,
  instantPrecision,
  instantText,
  oneLine,
  pythonText,
  displayedCells,
  missingObject,
  pandasFrame,
  pandasLines,
  type PandasColumn,
} from './pandas-frame.js';
import type { Cell, TableResult } from './tool-outcome.js';

export const observationFormatNames = ['json', 'markdown', 'string', 'html'] as const;
export type ObservationFormatName = (typeof observationFormatNames)[number];

/** An HTML table in the layout of pandas' `to_html`. */
const observationHtml: ObservationFormat = {
  title: 'HTML',
  render: (table, shown, strict) =>
    htmlTable(strict ? pandasTexts(table, shown) : plainTexts(table, shown)),
};

interface TextColumn {
  readonly name: string;
  readonly cells: readonly string[];
}

const pandasTexts = (table: TableResult, shown: number): readonly TextColumn[] =>
  pandasFrame(table, shown).map((column) => ({
    name: column.name,
    cells: displayedCells(column),
  }));

const plainTexts = ({ columns, rows }: TableResult, shown: number): readonly TextColumn[] =>
  columns.map(({ name }, index) => ({
    name,
    cells: rows.slice(0, shown).map((row) => cellText(row[index] ?? null)),
  }));

function htmlTable(columns: readonly TextColumn[]): string {
  const lines = columns[0]?.cells ?? [];
  const cell = (tag: 'th' | 'td', text: string): string =>
    `      <${tag}>${strip(escapeHtml(text))}</${tag}>`;
  return [
    '<table border="1" class="dataframe">',
    '  <thead>',
    '    <tr style="text-align: right;">',
    ...columns.map(({ name }) => cell('th', name)),
    '    </tr>',
    '  </thead>',
    '  <tbody>',
    ...lines.flatMap((_, row) => [
      '    <tr>',
      ...columns.map(({ cells }) => cell('td', cells[row] ?? '')),
      '    </tr>',
    ]),
    '  </tbody>',
    '</table>',
  ].join('\n');
}

/** One object per line. The last line ends with a line break too, so that a blank line precedes the note. */
const observationJson: ObservationFormat = {
  title: 'JSON',
  render: (table, shown, strict) =>
    (strict ? pandasLines(table, shown) : jsonLines(table, shown))
      .map((line) => `${line}\n`)
      .join(''),
};

/** Plain JSON: lists, nulls and dates keep their types, and non-ASCII characters are not escaped. */
function jsonLines({ columns, rows }: TableResult, shown: number): readonly string[] {
  return rows.slice(0, shown).map((row) => {
    // The members are joined by hand: an object would move keys that look like integers to the front.
    const members = columns.map(
      ({ name }, index) => `${JSON.stringify(name)}:${JSON.stringify(row[index] ?? null)}`,
    );
    return `{${members.join(',')}}`;
  });
}

/** In strict mode a bordered table as in the reference system, otherwise a Markdown table. */
const observationMarkdown: ObservationFormat = {
  title: 'MARKDOWN',
  render: (table, shown, strict) =>
    strict ? bordered(pandasFrame(table, shown)) : piped(table.columns, table.rows.slice(0, shown)),
};

function piped(
  columns: readonly { readonly name: string }[],
  rows: readonly (readonly Cell[])[],
): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(inCell).join(' | ')} |`;
  return [
    line(columns.map(({ name }) => name)),
    line(columns.map(() => '---')),
    ...rows.map((row) => line(columns.map((_, index) => cellText(row[index] ?? null)))),
  ].join('\n');
}

const inCell = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll(/\r\n|[\r\n]/g, '<br>');

function bordered(columns: readonly PandasColumn[]): string {
  const instant = instantWriter(columns);
  const texts = columns.map((column) =>
    column.cells.map((cell) => tabulated(cell, column, instant)),
  );
  const rows = (columns[0]?.cells ?? []).map((_, row) => texts.map((cells) => cells[row] ?? ''));
  return prettyTable(
    columns.map(({ name }) => name),
    rows,
  );
}

/** A table of times only has numpy's texts, any other table those of pandas. */
function instantWriter(columns: readonly PandasColumn[]): (iso: string) => string {
  if (columns.some(({ kind }) => kind !== 'instant')) {
    return (iso) => instantText(iso, ' ', [0, 6, 6, 9][instantPrecision(iso) / 3] ?? 0);
  }
  const digits = columns.some(({ type }) => type === 'TIMESTAMP_NS') ? 9 : 6;
  return (iso) => instantText(iso, 'T', digits);
}

function tabulated(
  cell: Cell,
  { type, kind }: PandasColumn,
  instant: (iso: string) => string,
): string {
  switch (kind) {
    case 'int':
    case 'bool':
      return pythonText(cell, type);
    case 'float':
      return floatText(cell === null ? NaN : Number(cell));
    case 'instant':
      return typeof cell === 'string' ? instant(cell) : 'NaT';
    case 'object':
      if (cell !== null) return pythonText(cell, type);
      return missingObject(type) === 'None' ? '' : missingObject(type);
  }
}

/** Columns of a fixed width, one line per row; line ends inside a text are escaped. */
const observationString: ObservationFormat = {
  title: 'STRING',
  render: (table, shown, strict) => (strict ? pandasColumns : plainColumns)(table, shown),
};

/** pandas' `to_string`: right-aligned; the name of a numeric column gets one more space. */
function pandasColumns(table: TableResult, shown: number): string {
  return sideBySide(
    pandasFrame(table, shown).map((column) => {
      const number = ['int', 'float', 'bool'].includes(column.kind);
      const cells = [`${number ? ' ' : ''}${oneLine(column.name)}`, ...displayedCells(column)];
      const size = Math.max(...cells.map(width));
      return cells.map((cell) => ' '.repeat(size - width(cell)) + cell);
    }),
    ' ',
  );
}

function plainColumns({ columns, rows }: TableResult, shown: number): string {
  return sideBySide(
    columns.map(({ name }, index) => {
      const texts = rows.slice(0, shown).map((row) => cellText(row[index] ?? null));
      const cells = [name, ...texts].map(oneLine);
      const size = index + 1 === columns.length ? 0 : Math.max(...cells.map(width));
      return cells.map((cell) => cell + ' '.repeat(Math.max(0, size - width(cell))));
    }),
    '  ',
  );
}

function sideBySide(columns: readonly (readonly string[])[], gap: string): string {
  const [first = []] = columns;
  return first.map((_, row) => columns.map((cells) => cells[row] ?? '').join(gap)).join('\n');
}

const width = (text: string): number => Array.from(text).length;

/** A format in which the model sees rows. */
export interface ObservationFormat {
  /** The format's name in the note below the rows. */
  readonly title: string;
  /** Renders the first `shown` rows; `strict` reproduces the reference system byte for byte. */
  readonly render: (table: TableResult, shown: number, strict: boolean) => string;
}

export const observationFormats: Readonly<Record<ObservationFormatName, ObservationFormat>> = {
  json: observationJson,
  markdown: observationMarkdown,
  string: observationString,
  html: observationHtml,
};

/**
 * A table in the format `pretty` of Python's tabulate: bordered and centred, with multi-line cells. If any cell has several
 * lines, an empty cell has no line, so that an empty row is not drawn.
 */
function prettyTable(headers: readonly string[], rows: readonly (readonly string[])[]): string {
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

/** An odd space goes to the right. */
function centred(text: string, size: number): string {
  const blanks = Math.max(0, size - width(text));
  const left = Math.floor(blanks / 2);
  return ' '.repeat(left) + text + ' '.repeat(blanks - left);
}
