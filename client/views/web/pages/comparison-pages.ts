import { preview } from '../../../../domain/formats/text.js';
import { compareStoredRuns } from '../../../runs/scoring/compared-runs.js';
import { comparedRows } from '../../page/compared-questions.js';
import { sectionsMarkup } from '../../page/section-markup.js';
import { comparisonSections } from '../../sections/comparison.js';
import type { ComparisonData, SidesData } from '../page-data.js';
import { pagePaths } from '../page-paths.js';
import { runIn, sampleIn, type ViewHome } from '../view-home.js';
import type { PathParameters, ViewPage } from '../view-page.js';
import { Pictures, questionShown, readQuestion } from './question-pages.js';

/** Two runs, as `turnwise compare` sets them against each other. */
export const comparisonPage = (home: ViewHome): ViewPage => ({
  path: pagePaths.comparison,
  load: async (parameters) => {
    const [baseline, candidate] = runsIn(parameters);
    const comparison = await compareStoredRuns([home.folder(baseline), home.folder(candidate)]);
    const [before, after] = await Promise.all([home.stored(baseline), home.stored(candidate)]);
    const data: ComparisonData = {
      baseline,
      candidate,
      sections: sectionsMarkup(comparisonSections(comparison)).text,
      questions: comparedRows(comparison, before, [after]).map(
        ({ candidate, tags, gold, ...row }) => ({
          ...row,
          question: preview(row.question, questionShown),
        }),
      ),
    };
    return { data, refreshMs: null };
  },
});

/** A question in two runs, side by side. */
export const sidesPage = (home: ViewHome): ViewPage => ({
  path: pagePaths.sides,
  load: async (parameters) => {
    const [baseline, candidate] = runsIn(parameters);
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

const runsIn = (parameters: PathParameters) =>
  [runIn(parameters, 'baseline'), runIn(parameters, 'candidate')] as const;
