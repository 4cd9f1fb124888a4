import { doubtsOf, shownPaper } from '../../../../domain/stores/inspection/shown-paper.js';
import type { StoredPaper, StoreManifest } from '../../../../domain/stores/store-manifest.js';
import { UserError } from '../../../../domain/user-error.js';
import { openStore } from '../../../runs/stores/store-files.js';
import { findPaper, readPaper } from '../../../runs/stores/store-papers.js';
import { readerText, readPaperPage, paperDocument } from '../../paper/paper-page.js';
import { countsText, doubtText } from '../../paper/paper-text.js';
import { sectionsMarkup } from '../../page/section-markup.js';
import { storeSections } from '../../sections/store.js';
import type { StoreData } from '../page-data.js';
import { documentPaths, pagePaths } from '../../page/page-paths.js';
import type { ViewHome } from '../view-home.js';
import { viewPage, type ViewDocument, type ViewPage } from '../view-page.js';

type PaperRow = StoreData['papers'][number];
const columns = ['title', 'file', 'pages', 'passages', 'found', 'read by', 'warnings', 'id'];

/** A store with its papers, as it is now. */
export function storePage({ environment }: ViewHome): ViewPage {
  /** To read all papers takes seconds. */
  const known = new Map<string, PaperRow>();
  return viewPage<StoreData>(pagePaths.store, async ({ store: name = '' }) => {
    const store = await openStore(environment, name);
    const papers: PaperRow[] = [];
    for (const paper of store.papers) {
      const { paperId, title, file, pages } = paper;
      const key = `${store.fingerprint} ${paperId}`;
      const read = known.get(key) ?? (await describe(store, paper));
      known.set(key, read);
      papers.push([title, file, pages, ...read, paperId]);
    }
    const others = storeSections(store).filter(({ id }) => id !== 'papers');
    return { columns, papers, sections: sectionsMarkup(others).text };
  });

  async function describe(store: StoreManifest, paper: StoredPaper): Promise<PaperRow> {
    try {
      const kept = await readPaper(environment, store, paper);
      const shown = shownPaper(kept);
      const warnings = doubtsOf(shown).map(doubtText).join('; ');
      return [shown.passages.length, countsText(shown), readerText(kept), warnings];
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return [0, '', '', error.message];
    }
  }
}

/** The page of a paper that `turnwise store show --paper --html` writes. */
export const paperPage = ({ environment }: ViewHome): ViewDocument => ({
  path: documentPaths.paper,
  html: async ({ store: name = '', paper = '' }) => {
    const store = await openStore(environment, name);
    return paperDocument(await readPaperPage(environment, store, findPaper(store, paper)));
  },
});
