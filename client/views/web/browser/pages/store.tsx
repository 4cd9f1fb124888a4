import type { JSX } from 'preact';
import type { StoreData } from '../../page-data.js';
import { documentPaths, pagePaths, pathTo } from '../../../page/page-paths.js';
import { Html, Page } from '../components/page.jsx';
import { ResultTable } from '../components/result-table.jsx';
import { usePage } from '../use-page.js';

/** A store: its papers, what was read of them, and what may be missing. */
export function StorePage({ store }: { readonly store: string }): JSX.Element {
  const { data, problem } = usePage<StoreData>(pathTo(pagePaths.store, { store }));
  return (
    <Page title={store} kind="store" problem={problem} isLoading={data === null}>
      {data !== null && data.papers.length > 0 && (
        <ResultTable
          name={`Papers of store ${store}`}
          table={{ columns: data.columns, rows: data.papers, note: '' }}
          shown=""
          cellOf={(cell, of) => {
            const address = pathTo(documentPaths.paper, { store, paper: String(of('id')) });
            return cell === of('title') ? <a href={address}>{String(cell)}</a> : null;
          }}
        />
      )}
      {data && <Html html={data.sections} />}
    </Page>
  );
}
