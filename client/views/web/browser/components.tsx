import type { JSX } from 'preact';
import { matchPath, pagePaths } from '../page-paths.js';
import { Page } from './components/page.jsx';
import { ComparisonPage } from './pages/comparison.jsx';
import { DatasetPage, DatasetsPage } from './pages/datasets.jsx';
import { EvaluationPage, EvaluationsPage } from './pages/evaluations.jsx';
import { ItemPage } from './pages/item.jsx';
import { QuestionPage, SidesPage } from './pages/question.jsx';
import { RunPage } from './pages/run.jsx';
import { RunsPage } from './pages/runs.jsx';
import { StorePage } from './pages/store.jsx';

type PathParameters = Readonly<Record<string, string>>;

/** The component of every page. */
const components: readonly {
  readonly path: string;
  readonly component: (parameters: PathParameters) => JSX.Element;
}[] = [
  { path: pagePaths.runs, component: () => <RunsPage /> },
  { path: pagePaths.run, component: ({ run = '' }) => <RunPage run={run} /> },
  {
    path: pagePaths.question,
    component: ({ run = '', uuid = '', epoch = '' }) => (
      <QuestionPage run={run} uuid={uuid} epoch={epoch} />
    ),
  },
  {
    path: pagePaths.comparison,
    component: ({ baseline = '', candidate = '' }) => (
      <ComparisonPage baseline={baseline} candidate={candidate} />
    ),
  },
  {
    path: pagePaths.sides,
    component: ({ baseline = '', candidate = '', uuid = '', epoch = '' }) => (
      <SidesPage baseline={baseline} candidate={candidate} uuid={uuid} epoch={epoch} />
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
export function pageAt(address: string): JSX.Element {
  for (const { path, component } of components) {
    const parameters = matchPath(path, address);
    if (parameters) return <div key={address}>{component(parameters)}</div>;
  }
  return (
    <Page title="No such page" kind="turnwise view" problem={null} isLoading={false}>
      <p>
        <a href={pagePaths.runs}>All runs</a>
      </p>
    </Page>
  );
}
