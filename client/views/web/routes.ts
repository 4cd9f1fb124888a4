import { runsPage } from './pages/runs-page.js';
import type { ViewHome } from './view-home.js';
import type { ViewRoutes } from './view-page.js';

/** Every page with its data function, and every action. */
export const viewRoutes = (home: ViewHome): ViewRoutes => ({
  pages: [runsPage(home)],
  parts: [],
  actions: [],
  documents: [],
});
