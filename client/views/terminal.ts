import type { WriteStream } from 'node:tty';
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import { decimals } from '../../domain/formats/text.js';
import type { Interval } from '../../domain/statistics/means.js';
import type { Line, Tone } from '../services/tell.js';
import { cellText, type Cell, type Row, type Section, type Table } from './sections/section.js';

const gap = '  ';

/** Rows as lines with aligned columns. */
function alignedLines(rows: readonly Row[]): readonly Line[] {
  const widths = columnWidths(rows);
  return rows.map((row) => {
    const last = row.findLastIndex((cell) => cellText(cell) !== '');
    return row.slice(0, last + 1).map((cell, column) => {
      const text = cellText(cell);
      const missing = (widths[column] ?? 0) - stringWidth(text);
      const tone = toneOf(cell);
      return {
        text: column === last ? text : text + ' '.repeat(missing) + gap,
        ...(tone && { tone }),
      };
    });
  });
}

const toneOf = (cell: Cell): Tone | undefined =>
  cell !== null && typeof cell === 'object' ? cell.tone : undefined;

const columnWidths = (rows: readonly Row[]): readonly number[] =>
  Array.from({ length: Math.max(0, ...rows.map(({ length }) => length)) }, (_, column) =>
    Math.max(...rows.map((row) => stringWidth(cellText(row[column] ?? '')))),
  );

export const plainText = (lines: readonly Line[]): string =>
  lines.map((line) => line.map(({ text }) => text).join('')).join('\n');

export const alignColumns = (rows: readonly Row[]): string => plainText(alignedLines(rows));

/** The most rows of a table of a section. */
const rowsShown = 25;

/** Sections as lines for a terminal of a width: the heads of tables say what they are of. */
export function sectionLines(sections: readonly Section[], columns = Infinity): readonly Line[] {
  const prose = (texts: readonly string[], tone?: Tone): readonly Line[] =>
    texts
      .flatMap((text) => text.split('\n'))
      .flatMap((text) => {
        const [lead = ''] = /^ */.exec(text) ?? [];
        return columns === Infinity
          ? text
          : fitLines(text, columns - lead.length).map((line) => lead + line);
      })
      .map((text) => [{ text, ...(tone && { tone }) }]);
  const notesOf = (notes: readonly string[] = []) => prose(notes.map((note) => `note: ${note}`));
  const lines = sections.flatMap(({ words, tone, notes, tables }) => [
    ...prose(words, tone),
    ...notesOf(notes),
    ...tables.flatMap((table) => {
      const { heads, rows, legend, isList } = table;
      const shown = [heads, ...(isList ? rows : rows.slice(0, rowsShown))];
      const fit = fittingColumns(table, shown, columns);
      const more = rows.length + 1 - shown.length;
      return [
        [],
        ...alignedLines(shown.map((row) => row.slice(0, fit))),
        ...prose(more > 0 ? [`and ${more} more: --json lists all`] : []),
        ...prose(
          fit < heads.length ? [`not shown for want of width: ${heads.slice(fit).join(', ')}`] : [],
        ),
        ...notesOf(legend),
      ];
    }),
  ]);
  // Before a table is an empty line, which the first one needs not.
  return lines.slice(lines.findIndex((line) => line.length > 0));
}

/** How many of the first columns a table keeps: its names at least. */
function fittingColumns({ names, isList }: Table, shown: readonly Row[], columns: number): number {
  const least = isList ? 1 : names;
  let width = -gap.length;
  const over = columnWidths(shown).findIndex((each, at) => {
    width += gap.length + each;
    return at >= least && width > columns;
  });
  return over === -1 ? Infinity : over;
}

/** `0.801 – 0.876`; empty where there is none. */
export const between = (interval: Interval | null | undefined, digits = 3): string =>
  interval ? `${decimals(interval.low, digits)} – ${decimals(interval.high, digits)}` : '';

type Terminal = Pick<WriteStream, 'write' | 'columns' | 'rows'>;

/** The last lines of a terminal, redrawn in place. */
export class RedrawnLines {
  #shown: readonly string[] = [];

  constructor(private readonly out: Terminal) {}

  show(texts: readonly string[]): void {
    // Leaves the last column free: some terminals wrap when it is written to.
    const columns = Math.max(20, this.out.columns) - 1;
    const lines = texts.flatMap((text) => fitLines(text, columns));
    // Lines that have scrolled off the screen cannot be redrawn.
    const kept = lines.slice(0, Math.max(1, this.out.rows - 1));
    if (kept.length === this.#shown.length && kept.every((line, at) => line === this.#shown[at]))
      return;
    this.out.write(`${this.#clearSequence()}${kept.map((line) => `${line}\n`).join('')}`);
    this.#shown = kept;
  }

  /** Removes the lines. */
  clear(): void {
    if (this.#shown.length > 0) this.out.write(this.#clearSequence());
    this.#shown = [];
  }

  /** Moves the cursor to the first line and clears from there. A terminal that became narrower has wrapped the lines. */
  #clearSequence(): string {
    const rows = this.#shown.reduce(
      (sum, line) =>
        sum + Math.max(1, Math.ceil(stringWidth(line) / Math.max(1, this.out.columns))),
      0,
    );
    return rows === 0 ? '' : `\u001b[${Math.min(rows, this.out.rows - 1)}A\r\u001b[J`;
  }
}

const indent = '  ';

/** Wraps a text into lines of at most `columns`, between words if possible, and indents all lines but the first. */
export function fitLines(text: string, columns: number): readonly string[] {
  const oneLine = text.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  const [first = ''] = wrapAnsi(oneLine, columns, { hard: true }).split('\n');
  const rest = oneLine.slice(first.length).trimStart();
  if (rest === '') return [first];
  const others = wrapAnsi(rest, columns - indent.length, { hard: true }).split('\n');
  return [first, ...others.map((line) => indent + line)];
}
