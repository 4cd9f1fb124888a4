import { makeReport } from '../../page/write-page.js';
import { callsIn } from '../../page/pack-run.js';
import { runPlots } from '../../page/plots/run-plots.js';
import type { PlotsData } from '../page-data.js';
import { documentPaths, partPaths } from '../../page/page-paths.js';
import { runIn, type ViewHome } from '../view-home.js';
import type { ViewDocument, ViewPage } from '../view-page.js';

/** The plot of calls needs every turn of a run. */
const mostSamples = 2_000;

/** The plots of the report. */
export const plotsPart = (home: ViewHome): ViewPage => ({
  path: partPaths.plots,
  load: async (parameters) => {
    const run = runIn(parameters);
    const folder = home.folder(run);
    const reported = await home.stored(run);
    const withoutCalls = reported.answers.length > mostSamples;
    const turns = withoutCalls
      ? []
      : await Promise.all(reported.answers.map((answer) => folder.turns(answer)));
    const plots = await runPlots({ reported, calls: turns.flatMap(callsIn) }, 3);
    const data: PlotsData = { plots: plots.map(({ text }) => text), withoutCalls };
    return { data, refreshMs: null };
  },
});

/** The page that `turnwise report` writes. */
export const reportDocument = (home: ViewHome): ViewDocument => ({
  path: documentPaths.report,
  html: async (parameters) => (await makeReport([home.folder(runIn(parameters))])).html,
});
