import { preview, visibleText } from '../../../domain/formats/text.js';

// A table of questions as plain data: the server sends it to the view, a page that is written holds it.

export interface QuestionTable {
  readonly caption: string;
  readonly columns: readonly QuestionColumn[];
  /** What rows are filtered by besides their text. */
  readonly filters: readonly string[];
  readonly rows: readonly QuestionRow[];
}

interface QuestionColumn {
  readonly name: string;
  /** `question` and `answer` are wide, `number` is aligned right. */
  readonly kind: 'question' | 'answer' | 'text' | 'number';
}

/** A question in one epoch. */
export interface QuestionRow {
  readonly uuid: string;
  readonly epoch: number;
  /** In the order of the columns. */
  readonly cells: readonly QuestionCell[];
  /** Of each filter, in its order. */
  readonly values: readonly (readonly string[])[];
}

export type QuestionCell =
  | string
  | {
      readonly text: string;
      /** What the column is sorted by, if it is not the text. Null comes last in both orders. */
      readonly value?: number | null;
      /** A sign before the text for those who see it. */
      readonly mark?: string;
      /** The path of the page to which it leads. */
      readonly address?: string;
      /** What is less important, such as an interval. */
      readonly under?: string;
    };

/** How a column is made of rows. */
export interface ColumnOf<Row> extends QuestionColumn {
  readonly cell: (row: Row) => QuestionCell;
}

export const textColumn = <Row>(
  name: string,
  cell: (row: Row) => QuestionCell,
  kind: QuestionColumn['kind'] = 'text',
): ColumnOf<Row> => ({ name, kind, cell });

/** @param none - what stands where there is no value */
export const numberColumn = <Row>(
  name: string,
  valueOf: (row: Row) => number | null,
  text: (value: number, row: Row) => string,
  none = '',
): ColumnOf<Row> => ({
  name,
  kind: 'number',
  cell: (row) => {
    const value = valueOf(row);
    return { value, text: value === null ? none : text(value, row) };
  },
});

/** The most characters of a question in a list. */
const questionShown = 200;

/** The column whose cells lead to the question. */
export const questionColumn = <Row extends { readonly question: string }>(
  address: (row: Row) => string,
): ColumnOf<Row> => ({
  name: 'question',
  kind: 'question',
  cell: (row) => ({ text: preview(row.question, questionShown), address: address(row) }),
});

interface QuestionTableParts<Row extends Pick<QuestionRow, 'uuid' | 'epoch'>> {
  readonly caption: string;
  readonly columns: readonly ColumnOf<Row>[];
  readonly rows: readonly Row[];
  /** By name. One without two values is left out. */
  readonly filters: Readonly<Record<string, (row: Row) => readonly string[]>>;
}

/** Columns of texts that are empty in every row are left out. */
export function questionTable<Row extends Pick<QuestionRow, 'uuid' | 'epoch'>>(
  parts: QuestionTableParts<Row>,
): QuestionTable {
  const rows = parts.rows.map((row) => ({
    row,
    cells: parts.columns.map(({ cell }) => visible(cell(row))),
  }));
  const columns = parts.columns.flatMap(({ name, kind }, at) =>
    kind === 'number' || rows.some(({ cells }) => textOf(cells[at]) !== '')
      ? [{ name, kind, at }]
      : [],
  );
  const filters = Object.entries(parts.filters).filter(
    ([, of]) => new Set(parts.rows.flatMap(of)).size > 1,
  );
  return {
    caption: parts.caption,
    columns: columns.map(({ name, kind }) => ({ name, kind })),
    filters: filters.map(([name]) => name),
    rows: rows.map(({ row, cells }) => ({
      uuid: row.uuid,
      epoch: row.epoch,
      cells: columns.map(({ at }) => cells[at] ?? ''),
      values: filters.map(([, of]) => [...new Set(of(row).map(visibleText))]),
    })),
  };
}

/** Characters that a terminal or the direction of writing would obey are named, as in every page. */
const visible = (cell: QuestionCell): QuestionCell =>
  typeof cell === 'string' ? visibleText(cell) : { ...cell, text: visibleText(cell.text) };

export const textOf = (cell: QuestionCell = ''): string =>
  typeof cell === 'string' ? cell : cell.text;
