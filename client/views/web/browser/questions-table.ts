import { nextOrder, sorted, type Column, type SortOrder } from './components/sortable-table.jsx';

// The table of questions of a report. The document has all of it, for print and for readers without scripts.
const table = document.getElementById('questions-table') as HTMLTableElement | null;
const body = table?.tBodies[0];
const form = document.querySelector<HTMLFormElement>('form.filter');

/** The rows that pass the filter, in the order shown. */
export const shownRows = (): readonly HTMLTableRowElement[] =>
  [...(body?.rows ?? [])].filter((row) => !row.hidden);

/** Lets the table be sorted by its headers and filtered by the form above it. */
export function wireQuestionsTable(): void {
  if (!table || !body || !form) return;
  wireSorting([...table.querySelectorAll<HTMLElement>('thead th')], body);
  wireFilter([...body.rows], form);
}

function wireSorting(headers: readonly HTMLElement[], rows: HTMLTableSectionElement): void {
  const columns = headers.map(columnOf);
  let sort: SortOrder | null = null;
  headers.forEach((header, at) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener('click', () => {
      sort = nextOrder(sort, columns[at]?.name ?? '');
      for (const other of headers) other.removeAttribute('aria-sort');
      header.setAttribute('aria-sort', sort.order);
      rows.append(...sorted([...rows.rows], columns, sort));
    });
  });
}

const columnOf = (
  { textContent: name, dataset }: HTMLElement,
  at: number,
): Pick<Column<HTMLTableRowElement>, 'name' | 'value'> => ({
  name,
  value: ({ cells }) => {
    const text = dataset['by'] === 'number' ? cells[at]?.dataset['value'] : cells[at]?.textContent;
    if (!text) return null;
    return dataset['by'] === 'number' ? Number(text) : text;
  },
});

function wireFilter(all: readonly HTMLTableRowElement[], filter: HTMLFormElement): void {
  const rows = all.map((row) => ({
    row,
    text: `${row.dataset['uuid'] ?? ''} ${row.textContent}`.toLowerCase(),
  }));
  const apply = (): void => {
    const wanted = [...new FormData(filter)].flatMap(([name, value]) =>
      typeof value === 'string' && value !== '' ? [{ name, value }] : [],
    );
    for (const { row, text } of rows) {
      row.hidden = !wanted.every(({ name, value }) =>
        name === 'text'
          ? text.includes(value.trim().toLowerCase())
          : (row.dataset[name] ?? '').split('\n').includes(value),
      );
    }
    const output = filter.querySelector('output');
    if (output) output.textContent = `${shownRows().length} of ${rows.length} shown`;
  };
  filter.addEventListener('input', apply);
  filter.addEventListener('submit', (event) => event.preventDefault());
  // The fields are reset only after this event.
  filter.addEventListener('reset', () => setTimeout(apply));
  filter.hidden = false;
  apply();
}
