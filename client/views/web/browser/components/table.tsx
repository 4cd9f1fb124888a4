import type { ComponentChildren, JSX } from 'preact';
import { grouped } from '../../../../../domain/formats/text.js';
import { instantText } from '../texts.js';
import { useInAddress, useRemembered } from '../navigation.js';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { visibleRows } from '../../row-window.js';

export interface Column<Row> {
  readonly name: string;
  /** What the column is sorted by. Null comes last in both orders. */
  readonly value: (row: Row) => string | number | null;
  readonly cell: (row: Row) => ComponentChildren;
  readonly isNumber?: boolean;
  /** Of the cells, for the style. */
  readonly kind?: string;
}

/** A column of texts as they are. */
export const textColumn = <Row,>(
  name: string,
  textOf: (row: Row) => string,
  kind = '',
): Column<Row> => ({ name, value: textOf, cell: textOf, kind });

export const countColumn = <Row,>(name: string, of: (row: Row) => number): Column<Row> => ({
  name,
  isNumber: true,
  value: of,
  cell: (row) => grouped(of(row)),
});

/** @param of - ISO 8601 */
export const instantColumn = <Row,>(name: string, of: (row: Row) => string): Column<Row> => ({
  name,
  value: of,
  cell: (row) => instantText(of(row)),
  kind: 'when',
});

interface SortOrder {
  readonly by: string;
  readonly order: 'ascending' | 'descending';
}

const collator = new Intl.Collator('en', { numeric: true });

/** The rows in the order of a column; unchanged for a column that is not there. */
function sorted<Row>(
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

/** The order of a page's table, as its address has it, and what a click on a column's heading does. */
function useSort(): readonly [SortOrder | null, (by: string) => void] {
  const [{ sort }, set] = useInAddress('sort');
  const sortBy = (by: string): void => set({ sort: sort === by ? `-${by}` : by });
  if (sort === '') return [null, sortBy];
  return sort.startsWith('-')
    ? [{ by: sort.slice(1), order: 'descending' }, sortBy]
    : [{ by: sort, order: 'ascending' }, sortBy];
}

interface SortableTableProps<Row> {
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

interface VirtualTableProps<Row> {
  readonly caption: string;
  /** Names the widths of its columns in the style. */
  readonly kind: string;
  /** The first one has the link of the row. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Called with the rows as they are sorted. */
  readonly onOrder?: (rows: readonly Row[]) => void;
}

/** In CSS pixels, as the style has them. */
const rowHeight = { wide: 32, narrow: 64 } as const;

/** Whether a media query holds. */
function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const update = (): void => setMatches(media.matches);
    media.addEventListener('change', update);
    return () => media.removeEventListener('change', update);
  }, [query]);
  return matches;
}

/** Of a column: what is wide gets what is left. */
const widths: Readonly<Record<string, string>> = {
  question: 'minmax(12rem, 3fr)',
  answer: 'minmax(5rem, 1.25fr)',
  number: 'minmax(3.5rem, 0.4fr)',
};
const usualWidth = 'minmax(4.5rem, 0.8fr)';

/**
 * A table of thousands of rows of one height, of which only those in sight are in the document, and all in print. The arrow
 * keys, Page Up and Down, Home and End move from link to link.
 */
export function VirtualTable<Row>(props: VirtualTableProps<Row>): JSX.Element {
  const { caption, kind, columns, keyOf } = props;
  const [sort, sortBy] = useSort();
  const [top, setTop] = useRemembered(`${kind} scroll`, 0);
  const [active, setActive] = useRemembered(`${kind} active`, 0);
  const [height, setHeight] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const isMoved = useRef(false);
  const each = useMedia('(max-width: 45rem)') ? rowHeight.narrow : rowHeight.wide;
  const isPrinted = useMedia('print');
  const rows = useMemo(() => sorted(props.rows, columns, sort), [props.rows, sort]);
  useEffect(() => props.onOrder?.(rows), [rows]);
  const last = rows.length - 1;
  const at = Math.min(active, last);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    element.scrollTop = top;
    setHeight(element.clientHeight);
    const resized = new ResizeObserver(() => setHeight(element.clientHeight));
    resized.observe(element);
    return () => resized.disconnect();
  }, []);

  useLayoutEffect(() => {
    if (!isMoved.current) return;
    isMoved.current = false;
    box.current?.querySelector<HTMLElement>(`[data-at="${at}"] a`)?.focus({ preventScroll: true });
  });

  const moveTo = (wanted: number): void => {
    const element = box.current;
    if (element === null) return;
    const next = Math.max(0, Math.min(last, wanted));
    const head = element.querySelector('.rows-head')?.clientHeight ?? 0;
    const space = element.clientHeight - head;
    if (next * each < element.scrollTop) element.scrollTop = next * each;
    if ((next + 1) * each > element.scrollTop + space) {
      element.scrollTop = (next + 1) * each - space;
    }
    isMoved.current = true;
    setTop(element.scrollTop);
    setActive(next);
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (!(event.target instanceof HTMLAnchorElement)) return;
    const page = Math.max(1, Math.floor(height / each) - 2);
    const wanted: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: last,
    };
    const next = wanted[event.key];
    if (next === undefined) return;
    event.preventDefault();
    moveTo(next);
  };

  return (
    <div
      class={`rows ${kind}`}
      role="table"
      aria-label={caption}
      aria-rowcount={rows.length + 1}
      style={{
        '--columns': columns.map(({ kind: of = '' }) => widths[of] ?? usualWidth).join(' '),
      }}
      ref={box}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
    >
      <div class="rows-head" role="rowgroup">
        <div class="row" role="row" aria-rowindex={1}>
          {columns.map(({ name, isNumber }) => (
            <span
              key={name}
              role="columnheader"
              class={isNumber ? 'n' : ''}
              {...(sort?.by === name && { 'aria-sort': sort.order })}
            >
              <button type="button" onClick={() => sortBy(name)}>
                {name}
              </button>
            </span>
          ))}
        </div>
      </div>
      <div class="rows-body" role="rowgroup" style={{ height: `${rows.length * each}px` }}>
        {visibleRows({
          top,
          height: isPrinted ? Infinity : height,
          rowHeight: each,
          count: rows.length,
          keep: at,
        }).map((index) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <div
              key={keyOf(row)}
              class="row"
              role="row"
              aria-rowindex={index + 2}
              data-at={index}
              style={{ top: `${index * each}px`, height: `${each}px` }}
              onFocusIn={() => setActive(index)}
            >
              {columns.map(({ name, cell, isNumber, kind: of = '' }, column) => (
                <span
                  key={name}
                  role={column === 0 ? 'rowheader' : 'cell'}
                  class={isNumber ? `n ${of}` : of}
                  data-name={name}
                >
                  {cell(row)}
                </span>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}
