import { isSameSample, type RunId, type SampleKey } from '../../../../domain/ids.js';
import { pictureUrl, type Picture } from '../../../../domain/agent/turn-record.js';
import { noQuestion } from '../../../runs/run-folder.js';
import { allowedPicture, answerReader } from '../../page/pack-run.js';
import type { PageQuestion, PlacePicture } from '../../page/page-question.js';
import { questionsOf } from '../../page/run-questions.js';
import type { QuestionData, ComparisonData, SidesData } from '../page-data.js';
import { pagePaths, partPaths } from '../../page/page-paths.js';
import { runIn, sampleIn, type ViewHome } from '../view-home.js';
import { viewPage, type ViewPage } from '../view-page.js';
import { compareStoredRuns } from '../../../runs/scoring/compared-runs.js';
import { sectionsMarkup } from '../../page/section-markup.js';
import { comparisonSections } from '../../sections/comparison.js';

/** How often the conversation of a question in flight is read. */
const refreshMs = 1_000;

/** All questions of a run. */
export const questionsPart = (home: ViewHome): ViewPage =>
  viewPage(partPaths.questions, async (parameters) =>
    questionsOf([await home.stored(runIn(parameters))]),
  );

/** The conversation of a question. */
export const questionPage = (home: ViewHome): ViewPage => ({
  path: pagePaths.question,
  load: async (parameters) => {
    const run = runIn(parameters);
    const key = sampleIn(parameters);
    const pictures = new Pictures();
    const [question, { status }, temporalUrl] = await Promise.all([
      readQuestion(home, run, key, pictures.place),
      home.folder(run).manifest(),
      home.temporalPage(run, key),
    ]);
    const isOpen = question.end === null && status === 'running';
    const data: QuestionData = {
      question,
      pictures: pictures.urls,
      temporalUrl,
      can: isOpen ? 'cancel' : question.end === null ? null : 'retry',
    };
    return { data, refreshMs: isOpen ? refreshMs : null };
  },
});

/** Throws UserError where the run has no such question. */
async function readQuestion(
  home: ViewHome,
  run: RunId,
  key: SampleKey,
  place: PlacePicture,
): Promise<PageQuestion> {
  const reported = await home.stored(run);
  const answer = reported.answers.find((each) => isSameSample(each, key));
  if (answer === undefined) throw noQuestion(run, key);
  const read = await answerReader({ folder: home.folder(run), reported });
  const { question } = await read(answer, place);
  return { ...question, store: reported.manifest.store?.name ?? null };
}

/** The pictures of a page, each once. */
class Pictures {
  readonly urls: string[] = [];

  /** Null for a format that browsers do not show. */
  readonly place = (picture: Picture): number | null => {
    const url = pictureUrl(picture);
    if (!allowedPicture.test(url)) return null;
    const known = this.urls.indexOf(url);
    return known === -1 ? this.urls.push(url) - 1 : known;
  };
}

/** Runs, as `turnwise compare` sets them against the first. */
export const comparisonPage = (home: ViewHome): ViewPage =>
  viewPage<ComparisonData>(pagePaths.comparison, async ({ baseline = '', candidates = '' }) => {
    const first = runIn({ run: baseline });
    const others = candidates.split(',').map((run) => runIn({ run }));
    const comparison = await compareStoredRuns([
      home.folder(first),
      ...others.map((run) => home.folder(run)),
    ]);
    const stored = await Promise.all([first, ...others].map((run) => home.stored(run)));
    return {
      sections: sectionsMarkup(comparisonSections(comparison)).text,
      questions: questionsOf(stored, comparison),
    };
  });

/** A question in two runs, side by side. */
export const sidesPage = (home: ViewHome): ViewPage =>
  viewPage<SidesData>(pagePaths.sides, async (parameters) => {
    const [baseline, candidate] = [runIn(parameters, 'baseline'), runIn(parameters, 'candidate')];
    const key = sampleIn(parameters);
    const pictures = new Pictures();
    const [before, after] = await Promise.all([
      readQuestion(home, baseline, key, pictures.place),
      readQuestion(home, candidate, key, pictures.place),
    ]);
    return { before, after, pictures: pictures.urls };
  });
