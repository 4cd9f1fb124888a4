import type { WriteStream } from 'node:tty';
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import { decimals, type Texts } from '../../domain/formats/text.js';
import type { Interval } from '../../domain/statistics/means.js';
import { cellText, type Row, type Section } from './sections/section.js';

/** Rows as lines with aligned columns. */
export function alignColumns(rows: readonly Row[]): string {
  const texts = rows.map((row) => row.map(cellText));
  const width = (column: number): number =>
    Math.max(...texts.map((row) => lengthOf(row[column] ?? '')));
  return texts
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat(width(column) - lengthOf(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Counts code points, as `preview` does. */
const lengthOf = (text: string): number => Array.from(text).length;

/** A table with its heads. @param most - rows that are shown; `--json` lists all */
export function table(heads: Row, rows: readonly Row[], most = Infinity): Texts {
  const more = rows.length - most;
  return [
    alignColumns([heads, ...rows.slice(0, most)]),
    more > 0 && `and ${more} more: --json lists all`,
  ];
}

/** The most rows of a table of a section. */
const rowsShown = 25;

/** Sections as lines for a terminal: the heads of tables say what they are of. */
export const sectionTexts = (sections: readonly Section[]): Texts =>
  sections.map(({ words, notes, tables }) => [
    words,
    notes.map((note) => `note: ${note}`),
    tables.map(({ heads, rows, legend, isList }) => [
      '',
      table(heads, rows, isList ? Infinity : rowsShown),
      legend?.map((each) => `note: ${each}`),
    ]),
  ]);

/** `0.801 – 0.876`; empty where there is none. */
export const between = (interval: Interval | null | undefined, digits = 3): string =>
  interval ? `${decimals(interval.low, digits)} – ${decimals(interval.high, digits)}` : '';

export type Terminal = Pick<WriteStream, 'write' | 'columns' | 'rows'>;

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
