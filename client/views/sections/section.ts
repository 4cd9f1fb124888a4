import { grouped, said, type Texts } from '../../../domain/formats/text.js';
import type { Tone } from '../../services/tell.js';

/** A part of a result, made once and shown by every medium. */
export interface Section {
  readonly id: string;
  readonly title: string;
  /** What it comes to: sentences without a full stop. */
  readonly words: readonly string[];
  /** Of its words. */
  readonly tone?: Tone | undefined;
  readonly notes: readonly string[];
  readonly tables: readonly Table[];
}

export interface Table {
  readonly caption: string;
  readonly heads: readonly string[];
  /** How many of the first columns are names. The others are figures. */
  readonly names: number;
  readonly rows: readonly Row[];
  /** A list that is shown in whole, however long. */
  readonly isList?: true;
  /** Values that are not ours, and where they are from. */
  readonly published?: { readonly source: string; readonly rows: readonly Row[] };
  /** How it is to be read. They stand below it. */
  readonly legend?: readonly string[];
}

/** A count is a number, whatever has decimals a text. Null is not known. `under` is less important, such as an interval. */
export type Cell =
  string | number | null | { readonly text: string; readonly under: string; readonly tone?: Tone };
export type Row = readonly Cell[];

interface SectionParts {
  readonly words?: Texts;
  readonly tone?: Tone | undefined;
  readonly notes?: Texts;
  /** Null for one that there is nothing to put into. */
  readonly tables?: readonly (Table | null)[];
}

/** A section of what there is to say. */
export const section = (
  id: string,
  title: string,
  { words, tone, notes, tables = [] }: SectionParts,
): Section => ({
  ...{ id, title, words: said(words), tone, notes: said(notes) },
  tables: tables.filter((table) => table !== null),
});

/** A section without a table. */
export const wordsSection = (id: string, title: string, words: Texts, tone?: Tone): Section =>
  section(id, title, { words, tone });

/** A section of one such table. @param none - what is said of an empty list */
export const listSection = (
  id: string,
  title: string,
  none: string,
  { heads, rows }: { readonly heads: readonly string[]; readonly rows: readonly Row[] },
): Section =>
  section(
    id,
    title,
    rows.length === 0 ? { words: none } : { tables: [listOf(title, heads, rows)] },
  );

/** A table of figures, of which the first columns are names. */
export const figuresOf = (
  caption: string,
  heads: readonly string[],
  rows: readonly Row[],
  names = 1,
): Table => ({ caption, heads, names, rows });

/** Null without rows. */
export const unlessEmpty = (table: Table): Table | null => (table.rows.length > 0 ? table : null);

/** A table of names. */
export const listOf = (caption: string, heads: readonly string[], rows: readonly Row[]): Table => ({
  caption,
  heads,
  names: heads.length,
  isList: true,
  rows,
});

/** A cell that stands out where it has a tone. */
export const toned = (text: string, tone: Tone | false | undefined): Cell =>
  tone ? { text, under: '', tone } : text;

/** On one line. */
export function cellText(cell: Cell): string {
  if (cell === null) return '–';
  if (typeof cell === 'number') return grouped(cell);
  if (typeof cell === 'string') return cell;
  return cell.under === '' ? cell.text : `${cell.text} (${cell.under})`;
}

export const sectionsMarkdown = (sections: readonly Section[]): string =>
  sections
    .flatMap(({ title, words, notes, tables }) => [
      `## ${title}`,
      ...[...words, ...notes].map(markdownText),
      ...tables.map(markdownTable),
    ])
    .join('\n\n');

function markdownTable({ heads, names, rows, published, legend = [] }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const lines = (own: readonly Row[]): readonly string[] =>
    own.map((row) => line(row.map((cell) => markdownText(cellText(cell)))));
  return [
    line(heads.map(markdownText)),
    line(heads.map((_, at) => (at < names ? '---' : '---:'))),
    ...lines(rows),
    ...(published === undefined
      ? []
      : [
          line(heads.map((_, at) => (at === 0 ? `*${published.source}*` : ''))),
          ...lines(published.rows),
        ]),
    ...(legend.length === 0 ? [] : ['', ...legend.map((each) => `- ${markdownText(each)}`)]),
  ].join('\n');
}

/** Names of models and runs are other people's text. */
export const markdownText = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll(/[|\\`*_<>[\]]/g, '\\$&');
