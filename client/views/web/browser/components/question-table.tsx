import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import {
  textOf,
  type QuestionCell,
  type QuestionRow,
  type QuestionTable,
} from '../../../page/question-table.js';
import { hrefTo, shownAddress, useInAddress } from '../navigation.js';
import { Choice, countsOf, Filter, TextFilter } from './filter.jsx';
import { type Column, VirtualTable } from './table.jsx';

interface QuestionTableViewProps {
  readonly table: QuestionTable;
  /** What a link back to it says. */
  readonly name: string;
}

/** A table of questions, with the form that filters it. */
export function QuestionTableView({ table, name }: QuestionTableViewProps): JSX.Element {
  const { filters, rows } = table;
  const [wanted, setFilter] = useInAddress('text', ...filters);
  const texts = useMemo(() => new Map(rows.map((row) => [row, searchText(row)])), [rows]);
  const columns = useMemo(() => columnsOf(table), [table]);
  const text = (wanted['text'] ?? '').trim().toLowerCase();
  const shown = rows.filter(
    (row) =>
      (texts.get(row) ?? '').includes(text) &&
      filters.every((filter, at) => {
        const value = wanted[filter] ?? '';
        return value === '' || row.values[at]?.includes(value);
      }),
  );
  return (
    <>
      <Filter label="Questions" shown={shown.length} of={rows.length}>
        <TextFilter
          name="question-text"
          placeholder="question, answer, tag, id"
          value={wanted['text'] ?? ''}
          onInput={(typed) => setFilter({ text: typed })}
        />
        {filters.map((filter, at) => (
          <Choice
            key={filter}
            name={filter}
            value={wanted[filter] ?? ''}
            choices={countsOf(rows.flatMap(({ values }) => values[at] ?? []))}
            onChoose={(value) => setFilter({ [filter]: value })}
          />
        ))}
        <button
          type="button"
          onClick={() =>
            setFilter(Object.fromEntries(['text', ...filters].map((each) => [each, ''])))
          }
        >
          show all
        </button>
      </Filter>
      <VirtualTable
        caption={table.caption}
        kind="question-rows"
        columns={columns}
        rows={shown}
        onOrder={(ordered) => rememberList({ name, path: shownAddress(), rows: ordered })}
        keyOf={({ uuid, epoch }) => `${uuid} ${epoch}`}
      />
    </>
  );
}

const searchText = ({ uuid, cells, values }: QuestionRow): string =>
  [uuid, ...cells.map(textOf), ...values.flat()].join(' ').toLowerCase();

const columnsOf = ({ columns }: QuestionTable): readonly Column<QuestionRow>[] =>
  columns.map(({ name, kind }, at) => ({
    name,
    kind,
    isNumber: kind === 'number',
    value: ({ cells }) => valueOf(cells[at]),
    cell: (row) => (
      <>
        {kind === 'question' && row.epoch > 1 && <span class="faint">epoch {row.epoch} </span>}
        <CellView cell={cell(row, at)} />
      </>
    ),
  }));

/** A question without a text is named by its id. */
function cell({ uuid, cells }: QuestionRow, at: number): QuestionCell {
  const of = cells[at] ?? '';
  return typeof of === 'string' || of.text !== '' || of.address === undefined
    ? of
    : { ...of, text: uuid };
}

function valueOf(of: QuestionCell = ''): string | number | null {
  return typeof of === 'string' || of.value === undefined ? textOf(of) : of.value;
}

function CellView({ cell: of }: { readonly cell: QuestionCell }): JSX.Element {
  if (typeof of === 'string') return <>{of}</>;
  const { text, mark, address, under } = of;
  return (
    <>
      {mark && <span aria-hidden="true">{mark} </span>}
      {address === undefined ? text : <a href={hrefTo(address)}>{text}</a>}
      {under && <span class="faint"> {under}</span>}
    </>
  );
}

/** A list of questions, as it was filtered and sorted when the reader left it. */
interface ShownList {
  readonly name: string;
  readonly path: string;
  readonly rows: readonly QuestionRow[];
}

let latest: ShownList | null = null;

export const rememberList = (list: ShownList): void => {
  latest = list;
};

/** The links of the latest list among which an address is, and the way back to it. */
export function listWith(here: string): {
  readonly back: readonly [path: string, name: string];
  readonly links: readonly string[];
} | null {
  if (latest === null) return null;
  const { name, path, rows } = latest;
  for (let at = 0; at < (rows[0]?.cells.length ?? 0); at += 1) {
    const links = rows.flatMap(({ cells }) => {
      const of = cells[at] ?? '';
      return typeof of === 'string' || of.address === undefined ? [] : [of.address];
    });
    if (links.includes(here)) return { back: [path, name], links };
  }
  return null;
}
