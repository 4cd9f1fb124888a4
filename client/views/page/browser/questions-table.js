/** The rows of the table of questions that pass the filter, in the order shown. */
export const shownRows = () =>
  [...document.querySelectorAll('#questions-table tbody tr')].filter(
    (row) => row instanceof HTMLElement && !row.hidden,
  );

/** Lets the table be sorted by its headers and filtered by the form above it. */
export function wireQuestionsTable() {
  const table = document.getElementById('questions-table');
  const form = document.querySelector('form.filter');
  if (!(table instanceof HTMLTableElement) || !(form instanceof HTMLFormElement)) return;
  wireSorting(table);
  wireFilter(table, form);
}

/** @param {HTMLTableElement} table */
function wireSorting(table) {
  const headers = [...table.querySelectorAll('thead th')];
  headers.forEach((header, at) => {
    if (!(header instanceof HTMLElement)) return;
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener('click', () => {
      const order = header.getAttribute('aria-sort') === 'ascending' ? 'descending' : 'ascending';
      for (const other of headers) other.removeAttribute('aria-sort');
      header.setAttribute('aria-sort', order);
      sortRows(table, at, { order, byNumber: header.dataset['by'] === 'number' });
    });
  });
}

/**
 * Sorts the rows. Rows without a value stay last in both orders.
 *
 * @param {HTMLTableElement} table
 * @param {number} at - index of the column
 * @param {{ order: 'ascending' | 'descending', byNumber: boolean }} how
 */
function sortRows(table, at, { order, byNumber }) {
  const [body] = table.tBodies;
  if (!body) return;
  const sign = order === 'ascending' ? 1 : -1;
  const collator = new Intl.Collator('en', { numeric: true });
  const keyed = [...body.rows].map((row) => {
    const cell = row.cells[at];
    const text = (byNumber ? cell?.dataset['value'] : cell?.textContent) ?? '';
    return { row, text, value: Number(text) };
  });
  keyed.sort((a, b) => {
    if (a.text === '' || b.text === '') return Number(a.text === '') - Number(b.text === '');
    return sign * (byNumber ? a.value - b.value : collator.compare(a.text, b.text));
  });
  body.append(...keyed.map(({ row }) => row));
}

/**
 * @param {HTMLTableElement} table
 * @param {HTMLFormElement} form
 */
function wireFilter(table, form) {
  const rows = [...(table.tBodies[0]?.rows ?? [])].map((row) => ({
    row,
    text: `${row.dataset['uuid'] ?? ''} ${row.textContent ?? ''}`.toLowerCase(),
  }));
  const apply = () => {
    const wanted = [...new FormData(form)].flatMap(([name, value]) =>
      value === '' ? [] : [{ name, value: String(value) }],
    );
    let shown = 0;
    for (const { row, text } of rows) {
      row.hidden = !wanted.every(({ name, value }) =>
        name === 'text'
          ? text.includes(value.trim().toLowerCase())
          : (row.dataset[name] ?? '').split('\n').includes(value),
      );
      if (!row.hidden) shown += 1;
    }
    const output = form.querySelector('output');
    if (output) output.textContent = `${shown} of ${rows.length} shown`;
  };
  form.addEventListener('input', apply);
  form.addEventListener('submit', (event) => event.preventDefault());
  // The fields are reset only after this event.
  form.addEventListener('reset', () => setTimeout(apply));
  form.hidden = false;
  apply();
}
