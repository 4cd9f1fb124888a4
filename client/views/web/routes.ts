import { viewActions, datasetActions } from './actions.js';
import { comparisonPage, sidesPage, questionPage, questionsPart } from './pages/question-pages.js';
import { datasetPages } from './pages/dataset-pages.js';
import { evaluationPages, runsPage, runsReader } from './pages/runs-page.js';
import { plotsParts, reportDocument, runPage } from './pages/run-page.js';
import { paperPage, storePage } from './pages/store-pages.js';
import type { ViewHome } from './view-home.js';
import type { ViewRoutes } from './view-page.js';

/** Every page with its data function, and every action. */
export function viewRoutes(home: ViewHome): ViewRoutes {
  const readRuns = runsReader(home);
  return {
    pages: [
      ...[runsPage(home, readRuns), runPage(home), questionPage(home), storePage(home)],
      ...[comparisonPage(home), sidesPage(home)],
      ...evaluationPages(home, readRuns),
      ...datasetPages(home),
    ],
    parts: [questionsPart(home), ...plotsParts(home)],
    actions: [...viewActions(home), ...datasetActions(home)],
    documents: [reportDocument(home), paperPage(home)],
  };
}
