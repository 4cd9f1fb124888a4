import { render } from 'preact';
import type { QuestionTable } from '../../page/question-table.js';
import { conversationPages, pageAt } from './components.jsx';
import { QuestionTableView, rememberList } from './components/question-table.jsx';
import { onMove, shownAddress, startNavigation } from './navigation.js';
import { Source, type Load } from './use-page.js';
import { matchPath, pagePaths, pathTo } from '../../page/page-paths.js';
import type { PageQuestion } from '../../page/page-question.js';
import type { QuestionData, SidesData } from '../page-data.js';

// The application in the pages that `report`, `compare` and `eval` write. Their overview is in the document; every other page
// is that of `turnwise view`. The document has both elements.
const overview = document.getElementById('overview') as HTMLElement;
const app = document.getElementById('app') as HTMLElement;
const { title } = document;

function start(table: QuestionTable | null): void {
  const place = document.getElementById('table');
  place?.replaceChildren();
  const name = 'all questions';
  if (table) rememberList({ name, path: '/', rows: table.rows });
  const show = (): void => {
    const address = shownAddress();
    const isOverview = address === '/';
    overview.hidden = !isOverview;
    app.hidden = isOverview;
    if (isOverview) document.title = title;
    if (place && table) {
      render(isOverview ? <QuestionTableView table={table} name={name} /> : null, place);
    }
    const page = (
      <Source.Provider value={loadFromFile}>{pageAt(conversationPages, address)}</Source.Provider>
    );
    render(isOverview ? null : page, app);
  };
  startNavigation();
  onMove(show);
  show();
}

// The data of a page that was written to a file, in elements of the document.

const unpacked = new Map<string, Promise<unknown>>();

/** The content of a data element of the page, unpacked once; null if there is no such element. */
function unpack(id: string): Promise<unknown> {
  const known = unpacked.get(id);
  if (known) return known;
  const text = document.getElementById(id)?.textContent;
  const value = text ? readPacked(text) : Promise.resolve(null);
  unpacked.set(id, value);
  return value;
}

/** @param text - gzip of JSON, in base64 */
function readPacked(text: string): Promise<unknown> {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).json();
}

const questionsInFile = (): Promise<QuestionTable | null> =>
  // The page was written with it.
  unpack('question-table') as Promise<QuestionTable | null>;

/** Rejects if the page does not contain it. */
async function question(run: string, uuid: string, epoch: string): Promise<PageQuestion> {
  const packOf = (await unpack('pack-of')) as Readonly<Record<string, number>>;
  const pack = packOf[pathTo(pagePaths.question, { run, uuid, epoch })];
  const questions = (await unpack(`pack-${String(pack)}`)) as readonly PageQuestion[] | null;
  const found = questions?.find(
    (each) => each.run === run && each.uuid === uuid && String(each.epoch) === epoch,
  );
  if (found) return found;
  throw new Error(
    `This page has no room for the conversation. In a terminal: turnwise trajectory ${run} ${uuid}`,
  );
}

const pictures = (): readonly string[] =>
  [...document.querySelectorAll('script[id^="picture-"]')].map(({ textContent }) => textContent);

const loadFromFile: Load = async (address) => {
  try {
    return { data: await dataAt(address), isLive: false };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
};

async function dataAt(address: string): Promise<QuestionData | SidesData> {
  const one = matchPath(pagePaths.question, address);
  if (one) {
    const { run = '', uuid = '', epoch = '' } = one;
    const shown = await question(run, uuid, epoch);
    return { question: shown, pictures: pictures(), temporalUrl: null, can: null };
  }
  const {
    baseline = '',
    candidate = '',
    uuid = '',
    epoch = '',
  } = matchPath(pagePaths.sides, address) ?? {};
  const [before, after] = await Promise.all([
    question(baseline, uuid, epoch),
    question(candidate, uuid, epoch),
  ]);
  return { before, after, pictures: pictures() };
}

void questionsInFile().then(start);
