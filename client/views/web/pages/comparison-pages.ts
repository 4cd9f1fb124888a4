import { compareStoredRuns } from '../../../runs/scoring/compared-runs.js';
import { questionsOf } from '../../page/run-questions.js';
import { sectionsMarkup } from '../../page/section-markup.js';
import { comparisonSections } from '../../sections/comparison.js';
import type { ComparisonData, SidesData } from '../page-data.js';
import { pagePaths } from '../../page/page-paths.js';
import { runIn, sampleIn, type ViewHome } from '../view-home.js';
import type { ViewPage } from '../view-page.js';
import { Pictures, readQuestion } from './question-pages.js';

/** Runs, as `turnwise compare` sets them against the first. */
export const comparisonPage = (home: ViewHome): ViewPage => ({
  path: pagePaths.comparison,
  load: async (parameters) => {
    const { baseline = '', candidates = '' } = parameters;
    const first = runIn({ run: baseline });
    const others = candidates.split(',').map((run) => runIn({ run }));
    const comparison = await compareStoredRuns([
      home.folder(first),
      ...others.map((run) => home.folder(run)),
    ]);
    const stored = await Promise.all([first, ...others].map((run) => home.stored(run)));
    const data: ComparisonData = {
      sections: sectionsMarkup(comparisonSections(comparison)).text,
      questions: questionsOf(stored, comparison),
    };
    return { data, refreshMs: null };
  },
});

/** A question in two runs, side by side. */
export const sidesPage = (home: ViewHome): ViewPage => ({
  path: pagePaths.sides,
  load: async (parameters) => {
    const [baseline, candidate] = [runIn(parameters, 'baseline'), runIn(parameters, 'candidate')];
    const key = sampleIn(parameters);
    const pictures = new Pictures();
    const [before, after] = await Promise.all([
      readQuestion(home, baseline, key, pictures.place),
      readQuestion(home, candidate, key, pictures.place),
    ]);
    const data: SidesData = { before, after, pictures: pictures.urls };
    return { data, refreshMs: null };
  },
});
