import type { JSX } from 'preact';
import type { PaperRow, StoreData } from '../../page-data.js';
import { documentPaths, pagePaths, pathTo } from '../../page-paths.js';
import { Page } from '../components/page.jsx';
import { ResultTable } from '../components/result-table.jsx';
import { SortableTable, type Column } from '../components/sortable-table.jsx';
import { usePage } from '../use-page.js';

/** A store: its papers, what was read of them, and what may be missing. */
export function StorePage({ store }: { readonly store: string }): JSX.Element {
  const { data, problem } = usePage<StoreData>(pathTo(pagePaths.store, { store }));
  return (
    <Page title={store} kind="store" problem={problem} isLoading={data === null}>
      {data && (
        <>
          {data.papers.length > 0 && (
            <SortableTable
              caption={`Papers of store ${store}`}
              kind="papers"
              columns={columnsOf(store)}
              rows={data.papers}
              keyOf={({ id }) => id}
            />
          )}
          <ResultTable name={`Contents of store ${store}`} table={null} shown={data.contents} />
        </>
      )}
    </Page>
  );
}

/** Warnings of a paper that are shown; its page has all. */
const mostWarnings = 3;

const columnsOf = (store: string): readonly Column<PaperRow>[] => [
  {
    name: 'paper',
    value: ({ title }) => title,
    cell: ({ id, title }) => (
      <a href={pathTo(documentPaths.paper, { store, paper: id })} title={id}>
        {title}
      </a>
    ),
    kind: 'question',
  },
  { name: 'file', value: ({ file }) => file, cell: ({ file }) => file },
  { name: 'pages', isNumber: true, value: ({ pages }) => pages, cell: ({ pages }) => pages },
  {
    name: 'passages',
    isNumber: true,
    value: ({ passages }) => passages,
    cell: ({ passages }) => passages,
  },
  {
    name: 'what was read',
    value: ({ found }) => found,
    cell: ({ found, reader }) => (
      <>
        {found} <span class="under faint">{reader}</span>
      </>
    ),
  },
  {
    name: 'warnings',
    value: ({ warnings }) => warnings.length,
    cell: ({ warnings }) => (
      <>
        {warnings.slice(0, mostWarnings).map((warning) => (
          <span key={warning} class="under">
            {warning}
          </span>
        ))}
        {warnings.length > mostWarnings && (
          <span class="under faint">{warnings.length - mostWarnings} more</span>
        )}
      </>
    ),
  },
];
