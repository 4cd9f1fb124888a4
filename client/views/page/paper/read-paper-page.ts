import { rowKeys, shownPaper } from '../../../../domain/stores/inspection/shown-paper.js';
import { rowsUnderId } from '../../../../domain/stores/paper-rows.js';
import type { StoredPaper, StoreManifest } from '../../../../domain/stores/store-manifest.js';
import { UserError } from '../../../../domain/user-error.js';
import type { StoreSettings } from '../../../../storage/stores/store-place.js';
import { pdfOf, readPaper, type ReadablePaper } from '../../../runs/stores/store-papers.js';
import { viewPaper } from '../../../runs/stores/view-paper.js';
import { countsText } from '../../paper/paper-words.js';
import type { PaperPage } from './write-paper.js';

/** Base64 characters of the pictures of a page: about 500 pages of print. */
const mostPicture = 45_000_000;

/**
 * The page of a paper of a store, with pictures where the store has its PDF.
 * @param isShown - whether a page, from 1, is shown. @defaultValue all
 * @throws UserError where no page is, or what is kept cannot be read
 */
export async function readPaperPage(
  settings: StoreSettings,
  store: StoreManifest,
  wanted: StoredPaper,
  isShown: (page: number) => boolean = () => true,
  against: PaperPage['against'] = null,
): Promise<PaperPage> {
  const kept = await readPaper(settings, store, wanted);
  const paper = shownPaper(kept);
  const count = Math.max(paper.pages.length, ...paper.items.flatMap(({ pages }) => pages));
  const pages = Array.from({ length: count }, (_, index) => index + 1).filter(isShown);
  if (pages.length === 0) throw new UserError(`${wanted.file} has ${count} pages, none of these`);
  const path = await pdfOf(settings, store, wanted);
  return {
    paper,
    pages,
    against,
    madeAt: new Date().toISOString(),
    view: path === null ? null : await viewPaper({ path, pages, mostPicture }),
    rowKeys: rowKeys(
      'rows' in kept ? kept.rows : rowsUnderId(wanted.paperId, wanted.file, kept.paper),
    ),
    facts: [
      ['store', store.name],
      ['file', wanted.file],
      ['paper', wanted.paperId],
      ['pages', String(paper.pages.length)],
      ['found', countsText(paper)],
      ['passages', String(paper.passages.length)],
      ['read by', readerText(kept)],
      ...modelText(wanted),
    ],
  };
}

/** What has read a paper, such as `extraction 31, mineru`. */
export function readerText(kept: ReadablePaper): string {
  if ('rows' in kept) return 'another system';
  const parsers = [...new Set((kept.parsers ?? []).map(({ parser }) => parser))];
  return [`extraction ${kept.version}`, ...parsers].join(', ');
}

const modelText = ({ enrichment }: StoredPaper): readonly (readonly [string, string])[] =>
  enrichment === undefined || enrichment.readByModel.length === 0
    ? []
    : [['text read by a model', `page ${enrichment.readByModel.join(', ')}`]];
