import type { ComponentChildren, JSX } from 'preact';
import { useInAddress } from '../navigation.js';

export interface Column<Row> {
  readonly name: string;
  /** What the column is sorted by. Null comes last in both orders. */
  readonly value: (row: Row) => string | number | null;
  readonly cell: (row: Row) => ComponentChildren;
  readonly isNumber?: boolean;
  /** Of the cells, for the style. */
  readonly kind?: string;
}

export interface SortOrder {
  readonly by: string;
  readonly order: 'ascending' | 'descending';
}

const collator = new Intl.Collator('en', { numeric: true });

/** The rows in the order of a column; unchanged for a column that is not there. */
export function sorted<Row>(
  rows: readonly Row[],
  columns: readonly Pick<Column<Row>, 'name' | 'value'>[],
  sort: SortOrder | null,
): readonly Row[] {
  const column = columns.find(({ name }) => name === sort?.by);
  if (column === undefined || sort === null) return rows;
  const sign = sort.order === 'ascending' ? 1 : -1;
  return [...rows].sort((one, other) => {
    const [a, b] = [column.value(one), column.value(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return typeof a === 'number' && typeof b === 'number'
      ? sign * (a - b)
      : sign * collator.compare(String(a), String(b));
  });
}

/** The order after a click on a column's heading. */
export const nextOrder = (sort: SortOrder | null, by: string): SortOrder => ({
  by,
  order: sort?.by === by && sort.order === 'ascending' ? 'descending' : 'ascending',
});

/** The order of a page's table, as its address has it, and what a click on a column's heading does. */
export function useSort(): readonly [SortOrder | null, (by: string) => void] {
  const [{ sort: text }, set] = useInAddress('sort');
  const isDescending = text.startsWith('-');
  const sort: SortOrder | null =
    text === ''
      ? null
      : isDescending
        ? { by: text.slice(1), order: 'descending' }
        : { by: text, order: 'ascending' };
  return [
    sort,
    (by) => {
      const next = nextOrder(sort, by);
      set({ sort: next.order === 'descending' ? `-${next.by}` : next.by });
    },
  ];
}

export interface SortableTableProps<Row> {
  readonly caption: string;
  readonly kind: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** The cell before the columns. */
  readonly lead?: { readonly name: string; readonly cell: (row: Row) => ComponentChildren };
}

/** A table whose headings sort it. The first column names the row. */
export function SortableTable<Row>(props: SortableTableProps<Row>): JSX.Element {
  const { caption, kind, columns, rows, keyOf, lead } = props;
  const [sort, sortBy] = useSort();
  return (
    <table class={`questions ${kind}`} role="table">
      <caption class="unseen">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {lead && (
            <th scope="col" role="columnheader" class="lead">
              <span class="unseen">{lead.name}</span>
            </th>
          )}
          {columns.map(({ name, isNumber }) => (
            <th
              key={name}
              scope="col"
              role="columnheader"
              class={isNumber ? 'n' : ''}
              {...(sort?.by === name && { 'aria-sort': sort.order })}
            >
              <button type="button" onClick={() => sortBy(name)}>
                {name}
              </button>
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {sorted(rows, columns, sort).map((row) => (
          <tr key={keyOf(row)} role="row">
            {lead && (
              <td role="cell" class="lead">
                {lead.cell(row)}
              </td>
            )}
            {columns.map(({ name, cell, isNumber, kind: of = '' }, at) =>
              at === 0 ? (
                <th key={name} scope="row" role="rowheader" class={of}>
                  {cell(row)}
                </th>
              ) : (
                <td key={name} role="cell" class={isNumber ? `n ${of}` : of} data-name={name}>
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
