import { compareItems, type ItemChange } from '../../../domain/stores/inspection/compare-items.js';
import {
  placeLines,
  runningHeads,
  type TextBlock,
} from '../../../domain/stores/inspection/place-lines.js';
import {
  type ShownPaper,
  rowKeys,
  shownPaper,
} from '../../../domain/stores/inspection/shown-paper.js';
import { type PaperView, viewPaper } from '../../runs/stores/view-paper.js';
import { pageDocument } from '../page/document.js';
import { pageStyle } from '../page/page-style.js';
import { type ShownItem, leftId, type PageRow } from './page-row.js';
import { paperBody, type PaperBody, paperStyle } from './paper-body.js';
import { rowsUnderId } from '../../../domain/stores/paper-rows.js';
import type { StoredPaper, StoreManifest } from '../../../domain/stores/store-manifest.js';
import { UserError } from '../../../domain/user-error.js';
import type { StoreSettings } from '../../../storage/stores/store-place.js';
import { pdfOf, readPaper, type ReadablePaper } from '../../runs/stores/store-papers.js';
import { countsText } from './paper-text.js';

interface PaperPage extends Pick<PaperBody, 'paper' | 'facts' | 'madeAt' | 'rowKeys'> {
  /** Numbers of the pages that are shown. */
  readonly pages: readonly number[];
  /** Null where the store has no PDF. */
  readonly view: PaperView | null;
  readonly against: { readonly store: string; readonly paper: ShownPaper } | null;
}

/** A page that needs no network, as HTML. */
export function paperDocument(page: PaperPage): string {
  const body = bodyOf(page);
  return pageDocument({
    title: `${page.paper.title}: what was read`,
    style:
      pageStyle +
      paperStyle(
        body.rows.flatMap((row) => [
          ...row.items.map(({ id }) => id),
          ...row.left.map((_, index) => leftId(row, index)),
        ]),
      ),
    scripts: [],
    body: paperBody(body),
    data: [],
  });
}

export function bodyOf({
  paper,
  facts,
  madeAt,
  rowKeys,
  pages,
  view,
  against,
}: PaperPage): PaperBody {
  const changes = against === null ? null : compareItems(against.paper.items, paper.items);
  const items =
    changes === null
      ? paper.items.map((item) => ({ id: item.id, item, change: null }))
      : changes.map(shownChange);
  const known = new Set(Array.from({ length: lastPage(paper, pages) }, (_, index) => index + 1));
  const blocks = pages.map((page) => placeLines(paper, page, view?.pages.get(page)?.lines ?? []));
  const running = runningHeads(blocks);
  return {
    paper,
    facts,
    madeAt,
    rowKeys,
    items,
    comparison: against === null || changes === null ? null : { store: against.store, changes },
    rows: pages.map((page, index) => ({
      ...rowOf(page, paper, items, view),
      ...sorted(blocks[index] ?? [], running),
    })),
    elsewhere: items.filter(({ item }) => item.page === null || !known.has(item.page)),
    remarks: remarksOf(paper, pages, view),
  };
}

/** An import may tell of a page only by what is on it. */
const lastPage = ({ pages }: ShownPaper, shown: readonly number[]): number =>
  Math.max(pages.length, ...shown);

const shownChange = (change: ItemChange): ShownItem =>
  change.kind === 'removed'
    ? { id: `other-${change.before.id}`, item: change.before, change }
    : { id: change.after.id, item: change.after, change };

const sorted = (
  blocks: readonly TextBlock[],
  running: ReadonlySet<TextBlock>,
): Pick<PageRow, 'blocks' | 'left' | 'running'> => ({
  blocks: blocks.filter(({ item }) => item !== null),
  left: blocks.filter((block) => block.item === null && !running.has(block)),
  running: blocks.filter((block) => running.has(block)),
});

function rowOf(
  page: number,
  paper: ShownPaper,
  items: readonly ShownItem[],
  view: PaperView | null,
): Omit<PageRow, 'blocks' | 'left' | 'running'> {
  const stored = paper.pages[page - 1];
  const drawn = view?.pages.get(page) ?? null;
  return {
    page,
    width: drawn?.width ?? stored?.width ?? 0,
    height: drawn?.height ?? stored?.height ?? 0,
    view: drawn,
    unusable: stored?.unusable ?? null,
    text: stored?.text ?? '',
    items: items.filter(({ item }) => item.page === page),
  };
}

function remarksOf(
  paper: ShownPaper,
  pages: readonly number[],
  view: PaperView | null,
): readonly string[] {
  if (view === null) return ['The store has no PDF of this paper: boxes stand on empty pages.'];
  const undrawn = pages.filter((page) => !view.pages.has(page));
  const large = pages.filter((page) => view.pages.get(page)?.picture === null);
  return [
    ...(undrawn.length === 0 ? [] : [`These pages cannot be drawn: ${undrawn.join(', ')}.`]),
    ...(large.length === 0
      ? []
      : [
          `From page ${large[0] ?? ''} on, the lines stand in place of pictures, because the file would become too large: --pages shows some of the pages.`,
        ]),
    ...(pages.length < paper.pages.length
      ? [`${pages.length} of ${paper.pages.length} pages are shown.`]
      : []),
  ];
}

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
