import { makeReport } from '../../page/write-page.js';
import { callsIn } from '../../page/pack-run.js';
import type { Markup } from '../../page/markup.js';
import { callsPlot } from '../../page/plots/calls-over-time.js';
import { plotsOf, runPlots } from '../../page/plots/run-plots.js';
import type { PlotsData } from '../page-data.js';
import { documentPaths, partPaths } from '../../page/page-paths.js';
import { runIn, type ViewHome } from '../view-home.js';
import type { ViewDocument, ViewPage } from '../view-page.js';

/** The plot of calls needs every turn of a run, which takes seconds. */
const mostSamples = 2_000;

/** The plots of the report: those of the results, and at another path those of the calls. */
export const plotsParts = (home: ViewHome): readonly ViewPage[] => [
  {
    path: partPaths.plots,
    load: async (parameters) => {
      const reported = await home.stored(runIn(parameters));
      const data: PlotsData = { html: htmlOf(await runPlots({ reported, calls: [] }, 3)) };
      return { data, refreshMs: null };
    },
  },
  {
    path: partPaths.callPlots,
    load: async (parameters) => {
      const run = runIn(parameters);
      const folder = home.folder(run);
      const reported = await home.stored(run);
      if (reported.answers.length > mostSamples) {
        const data: PlotsData = {
          html: '<p class="note">The report page draws the calls, too.</p>',
        };
        return { data, refreshMs: null };
      }
      const turns = await Promise.all(reported.answers.map((answer) => folder.turns(answer)));
      const plots = await plotsOf([callsPlot({ reported, calls: turns.flatMap(callsIn) })], 3);
      const data: PlotsData = { html: htmlOf(plots) };
      return { data, refreshMs: null };
    },
  },
];

const htmlOf = (plots: readonly Markup[]): string => plots.map(({ text }) => text).join('');

/** The page that `turnwise report` writes. */
export const reportDocument = (home: ViewHome): ViewDocument => ({
  path: documentPaths.report,
  html: (parameters) => makeReport([home.folder(runIn(parameters))]),
});
