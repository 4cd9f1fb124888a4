import { doubtsOf } from '../../../../domain/stores/inspection/doubts.js';
import { shownPaper } from '../../../../domain/stores/inspection/shown-paper.js';
import type { StoredPaper, StoreManifest } from '../../../../domain/stores/store-manifest.js';
import { UserError } from '../../../../domain/user-error.js';
import { openStore } from '../../../runs/stores/store-files.js';
import { findPaper, readPaper } from '../../../runs/stores/store-papers.js';
import { readerText, readPaperPage } from '../../page/paper/read-paper-page.js';
import { paperDocument } from '../../page/paper/write-paper.js';
import { countsText, doubtText } from '../../paper/paper-words.js';
import { contentsText } from '../../stores/database-text.js';
import type { PaperRow, StoreData } from '../page-data.js';
import { documentPaths, pagePaths } from '../page-paths.js';
import type { ViewHome } from '../view-home.js';
import type { ViewDocument, ViewPage } from '../view-page.js';

/** A store with its papers, as it is now. */
export function storePage({ environment }: ViewHome): ViewPage {
  /** By what their texts hold: to read all papers takes seconds. */
  const known = new Map<string, Pick<PaperRow, 'passages' | 'found' | 'reader' | 'warnings'>>();
  return {
    path: pagePaths.store,
    load: async ({ store = '' }) => {
      const manifest = await openStore(environment, store);
      const papers: PaperRow[] = [];
      for (const paper of manifest.papers) {
        const key = `${paper.sha256} ${manifest.fingerprint}`;
        const read = known.get(key) ?? (await describe(manifest, paper));
        known.set(key, read);
        const { paperId: id, title, file, pages } = paper;
        papers.push({ id, title, file, pages, ...read });
      }
      const data: StoreData = { store: manifest.name, papers, contents: contentsText(manifest) };
      return { data, refreshMs: null };
    },
  };

  async function describe(
    store: StoreManifest,
    paper: StoredPaper,
  ): Promise<Pick<PaperRow, 'passages' | 'found' | 'reader' | 'warnings'>> {
    try {
      const kept = await readPaper(environment, store, paper);
      const shown = shownPaper(kept);
      return {
        passages: shown.passages.length,
        found: countsText(shown),
        reader: readerText(kept),
        warnings: doubtsOf(shown).map(doubtText),
      };
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return { passages: 0, found: '', reader: '', warnings: [error.message] };
    }
  }
}

/** The page of a paper that `turnwise store show --paper --html` writes. */
export const paperPage = ({ environment }: ViewHome): ViewDocument => ({
  path: documentPaths.paper,
  html: async ({ store: name = '', paper = '' }) => {
    const store = await openStore(environment, name);
    const wanted = findPaper(store, paper);
    const kept = await readPaper(environment, store, wanted);
    return paperDocument(await readPaperPage(environment, store, wanted, kept));
  },
});
