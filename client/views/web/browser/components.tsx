import type { JSX } from 'preact';
import { matchPath, pagePaths } from '../../page/page-paths.js';
import { Page } from './components/page.jsx';
import { hrefTo } from './navigation.js';
import { ComparisonPage } from './pages/comparison.jsx';
import { DatasetPage, DatasetsPage } from './pages/datasets.jsx';
import { EvaluationPage, EvaluationsPage, RunsPage } from './pages/runs.jsx';
import { ItemPage } from './pages/item.jsx';
import { QuestionPage, SidesPage } from './pages/question.jsx';
import { RunPage } from './pages/run.jsx';
import { StorePage } from './pages/store.jsx';

type PathParameters = Readonly<Record<string, string>>;

interface PageComponent {
  readonly path: string;
  readonly component: (parameters: PathParameters) => JSX.Element;
}

/** These are in the pages that are written to files, too. */
export const conversationPages: readonly PageComponent[] = [
  {
    path: pagePaths.question,
    component: ({ run = '', uuid = '', epoch = '' }) => (
      <QuestionPage run={run} uuid={uuid} epoch={epoch} />
    ),
  },
  {
    path: pagePaths.sides,
    component: ({ baseline = '', candidate = '', uuid = '', epoch = '' }) => (
      <SidesPage baseline={baseline} candidate={candidate} uuid={uuid} epoch={epoch} />
    ),
  },
];

export const allPages: readonly PageComponent[] = [
  { path: pagePaths.runs, component: () => <RunsPage /> },
  { path: pagePaths.run, component: ({ run = '' }) => <RunPage run={run} /> },
  ...conversationPages,
  {
    path: pagePaths.comparison,
    component: ({ baseline = '', candidates = '' }) => (
      <ComparisonPage baseline={baseline} candidates={candidates.split(',')} />
    ),
  },
  { path: pagePaths.store, component: ({ store = '' }) => <StorePage store={store} /> },
  { path: pagePaths.evaluations, component: () => <EvaluationsPage /> },
  {
    path: pagePaths.evaluation,
    component: ({ evaluation = '' }) => <EvaluationPage evaluation={evaluation} />,
  },
  { path: pagePaths.datasets, component: () => <DatasetsPage /> },
  { path: pagePaths.dataset, component: ({ dataset = '' }) => <DatasetPage dataset={dataset} /> },
  {
    path: pagePaths.item,
    component: ({ dataset = '', item = '' }) => <ItemPage dataset={dataset} item={item} />,
  },
];

/** The page at an address. A page that is left keeps no state, so each address has components of its own. */
export function pageAt(pages: readonly PageComponent[], address: string): JSX.Element {
  for (const { path, component } of pages) {
    const parameters = matchPath(path, address);
    if (parameters) return <div key={address}>{component(parameters)}</div>;
  }
  return (
    <Page title="No such page" kind="turnwise view" problem={null} isLoading={false}>
      <p>
        <a href={hrefTo('/')}>All runs</a>
      </p>
    </Page>
  );
}
