import { viewActions } from './actions.js';
import { comparisonPage, sidesPage } from './pages/comparison-pages.js';
import { questionPage, questionsPart } from './pages/question-pages.js';
import { plotsPart, reportDocument } from './pages/report-parts.js';
import { runPage } from './pages/run-page.js';
import { runsPage } from './pages/runs-page.js';
import type { ViewHome } from './view-home.js';
import type { ViewRoutes } from './view-page.js';

/** Every page with its data function, and every action. */
export const viewRoutes = (home: ViewHome): ViewRoutes => ({
  pages: [runsPage(home), runPage(home), questionPage(home), comparisonPage(home), sidesPage(home)],
  parts: [questionsPart(home), plotsPart(home)],
  actions: viewActions(home),
  documents: [reportDocument(home)],
});
