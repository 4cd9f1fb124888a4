import { compareItems, type ItemChange } from '../../../domain/stores/inspection/compare-items.js';
import {
  placeLines,
  runningHeads,
  type TextBlock,
  shareOf,
} from '../../../domain/stores/inspection/place-lines.js';
import {
  type ShownPaper,
  rowKeys,
  shownPaper,
  itemKinds,
  type ItemKind,
  type PaperItem,
  type Passage,
  doubtsOf,
} from '../../../domain/stores/inspection/shown-paper.js';
import { type PaperView, viewPaper } from '../../runs/stores/view-paper.js';
import { pageDocument } from '../page/document.js';
import { pageStyle } from '../page/page-style.js';
import { type ShownItem, leftId, type PageRow, itemView, pageRow } from './page-row.js';
import { rowsUnderId } from '../../../domain/stores/paper-rows.js';
import type { StoredPaper, StoreManifest } from '../../../domain/stores/store-manifest.js';
import { UserError } from '../../../domain/user-error.js';
import type { StoreSettings } from '../../../storage/stores/store-place.js';
import { pdfOf, readPaper, type ReadablePaper } from '../../runs/stores/store-papers.js';
import { countsText, doubtText, itemName, kindNames, pagesText } from './paper-text.js';
import { instantText, percent, said } from '../../../domain/formats/text.js';
import { markup, type Markup } from '../page/markup.js';
import { factsMarkup, tableMarkup } from '../page/section-markup.js';
import { figuresOf } from '../sections/section.js';

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
  return said([
    undrawn.length > 0 && `These pages cannot be drawn: ${undrawn.join(', ')}.`,
    large.length > 0 &&
      `From page ${large[0] ?? ''} on, the lines stand in place of pictures, because the file would become too large: --pages shows some of the pages.`,
    pages.length < paper.pages.length &&
      `${pages.length} of ${paper.pages.length} pages are shown.`,
  ]);
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

interface PaperBody {
  readonly paper: ShownPaper;
  /** Names and values: the store, the file, by what it was read. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly items: readonly ShownItem[];
  readonly rows: readonly PageRow[];
  readonly rowKeys: ReadonlyMap<string, string | null>;
  /** Items without a page. */
  readonly elsewhere: readonly ShownItem[];
  /** The store that it is compared with, and all changes. */
  readonly comparison: { readonly store: string; readonly changes: readonly ItemChange[] } | null;
  readonly remarks: readonly string[];
  /** ISO 8601. */
  readonly madeAt: string;
}

export function paperBody(body: PaperBody): Markup {
  const { paper, facts, items, rows, elsewhere, comparison, remarks, madeAt } = body;
  const names = new Map(items.map(({ id, item }) => [id, itemName(item)]));
  const passages = passagesByItem(paper);
  const context = {
    rowKeys: body.rowKeys,
    passagesOf: ({ id }: ShownItem) => passages.get(id) ?? [],
    otherStore: comparison?.store ?? null,
    nameOf: (id: string) => names.get(id) ?? id,
    title: paper.title,
  };
  const doubts = doubtsOf(paper);
  return markup`<a class="skip" href="#pages">to the pages</a>
<header class="top"><p class="kind">turnwise paper, made ${instantText(madeAt)}</p>
<h1>${paper.title}</h1>
${factsMarkup(facts)}</header>
<main>
${remarks.map((remark) => markup`<p class="note">${remark}</p>\n`)}${comparison === null ? null : comparisonSection(comparison)}
<div class="overview"><section aria-labelledby="doubts"><h2 id="doubts">What may be missing</h2>
${doubts.length === 0 ? markup`<p>Nothing shows that something is missing.</p>` : markup`<ul class="doubts">${doubts.map((doubt) => markup`<li>${doubtText(doubt)}</li>`)}</ul>`}
${leftOutStrip(rows)}</section>
<section aria-labelledby="sections"><h2 id="sections">Sections</h2>
${sectionTree(items)}</section></div>
${legend(paper, rows, comparison !== null)}
<section aria-labelledby="pages"><h2 id="pages">Pages</h2>
${rows.map((row) => pageRow(row, context))}</section>
${elsewhere.length === 0 ? null : markup`<section aria-labelledby="elsewhere"><h2 id="elsewhere">On no page</h2>${elsewhere.map((shown) => itemView(shown, context.passagesOf(shown), context.otherStore))}</section>`}
</main>
`;
}

/** The passages of each section by its id, and those before the first one with the front matter. */
function passagesByItem({ items, passages }: ShownPaper): ReadonlyMap<string, readonly Passage[]> {
  const sections = items.filter(({ kind }) => kind === 'section');
  const byItem = new Map<string, Passage[]>();
  for (const passage of passages) {
    const id = sections[passage.section ?? -1]?.id ?? 'front-1';
    byItem.set(id, [...(byItem.get(id) ?? []), passage]);
  }
  return byItem;
}

/** A page whose text is left out to this part is marked. */
const muchLeftOut = 0.05;

const leftOutStrip = (rows: readonly PageRow[]): Markup | null =>
  rows.every(({ view }) => view === null)
    ? null
    : markup`<h3>Text in no item, by page</h3>
<ol class="strip">${rows.map(({ page, left, view, unusable }) => {
        const share = shareOf(left, view?.lines ?? []);
        const isMuch = unusable !== null || share >= muchLeftOut;
        return markup`<li><a href="#page-${page}" class="${isMuch ? 'much' : ''}">${page} <span>${unusable === null ? percent(share, 1) : 'unusable'}</span></a></li>`;
      })}</ol>
`;

const sectionTree = (items: readonly ShownItem[]): Markup => {
  const sections = items.filter(({ item }) => item.kind === 'section');
  if (sections.length === 0) return markup`<p>No section was found.</p>`;
  return markup`<ol class="tree">${sections.map(
    ({ id, item, change }) =>
      markup`<li class="level-${Math.min(6, item.level)} ${change?.kind ?? ''}"><a href="#${id}">${itemName(item)}</a> <span class="faint">${pagesText(item)}</span></li>`,
  )}</ol>`;
};

function legend(paper: ShownPaper, rows: readonly PageRow[], isComparison: boolean): Markup {
  const count = (of: 'left' | 'running'): number =>
    rows.reduce((sum, row) => sum + row[of].length, 0);
  const switches = [
    ...itemKinds.map((kind) => [kind, kindNames[kind][1], countOf(paper.items, kind)] as const),
    ['left', 'text in no item', count('left')] as const,
    ['running', 'running heads', count('running')] as const,
  ];
  return markup`<form class="legend" aria-label="Kinds that are shown">${switches.map(
    ([kind, name, count]) =>
      markup`<label class="k-${kind}"><input type="checkbox" id="show-${kind}" checked autocomplete="off">${name} <span class="n">${count}</span></label>`,
  )}${isComparison ? markup`<label><input type="checkbox" id="only-differences" autocomplete="off">only differences</label>` : null}</form>
`;
}

const countOf = (items: readonly PaperItem[], of: ItemKind): number =>
  items.filter(({ kind }) => kind === of).length;

const changeKinds = ['same', 'changed', 'added', 'removed'] as const;

const comparisonSection = ({
  store,
  changes,
}: NonNullable<
  PaperBody['comparison']
>): Markup => markup`<section aria-labelledby="comparison"><h2 id="comparison">Compared with ${store}</h2>
${tableMarkup(
  figuresOf(
    '',
    ['kind', 'the same', 'differ', `not in ${store}`, `only in ${store}`],
    itemKinds.flatMap((kind) => {
      const of = changes.filter((change) => itemOf(change).kind === kind);
      const counts = changeKinds.map((each) => of.filter((change) => change.kind === each).length);
      return of.length === 0 ? [] : [[kindNames[kind][1], ...counts]];
    }),
  ),
)}</section>
`;

const itemOf = (change: ItemChange): PaperItem =>
  change.kind === 'removed' ? change.before : change.after;

/**
 * The style of the page of a paper, after that of every page. Kinds have one colour on the pictures, in the legend and beside
 * items. An item that is pointed at, or that a link leads to, is marked in its text and on the page.
 * @param items - their ids
 */
const paperStyle = (items: readonly string[]): string => `
body { max-width: 110rem; }
.k-front { --kind: #7b3fb5; } .k-section { --kind: #4a6b8a; } .k-table { --kind: #14804a; } .k-figure { --kind: #c26a00; }
.k-equation { --kind: #b0297a; } .k-reference { --kind: #1f6fd1; } .k-footnote { --kind: #7a5a2a; } .k-left { --kind: #d11a2a; } .k-running { --kind: #888; }
.overview { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 3rem; }
.doubts { margin: 0; padding-left: 1.1rem; }
.doubts li { overflow-wrap: anywhere; }
.strip { display: flex; flex-wrap: wrap; gap: 0.25rem; margin: 0; padding: 0; list-style: none; font-variant-numeric: tabular-nums; max-height: 16rem; overflow: auto; }
.strip a { display: block; padding: 0.1rem 0.4rem; border: 1px solid var(--line); border-radius: 2px; text-decoration: none; color: inherit; }
.strip span { color: var(--faint); font-size: 0.75rem; }
.strip .much { border-color: #d11a2a; background: color-mix(in srgb, #d11a2a 14%, var(--paper)); }
.tree { margin: 0; padding: 0; list-style: none; max-height: 28rem; overflow: auto; }
.tree a { color: inherit; }
.level-2 { padding-left: 1.25rem; } .level-3 { padding-left: 2.5rem; } .level-4 { padding-left: 3.75rem; }
.level-5 { padding-left: 5rem; } .level-6 { padding-left: 6.25rem; }
.legend { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; padding: 0.6rem 0; margin-top: 1.5rem; background: var(--paper); border-bottom: 1px solid var(--line); }
.legend label { display: flex; align-items: center; gap: 0.3rem; }
.legend label[class]::before { content: ''; width: 0.85rem; height: 0.85rem; border: 2px solid var(--kind); background: color-mix(in srgb, var(--kind) 18%, transparent); }
.legend .n { color: var(--faint); }
html { scroll-padding-top: 4rem; }
.page { content-visibility: auto; contain-intrinsic-size: auto 62rem; padding-bottom: 1.25rem; }
.page h3 { margin: 1rem 0 0.4rem; }
.row { display: grid; grid-template-columns: minmax(0, 1.25fr) minmax(0, 1fr); gap: 1.25rem; }
.sheet { position: relative; align-self: start; background: #fff; border: 1px solid var(--line); }
.sheet img { display: block; width: 100%; height: auto; }
.sheet svg { display: block; width: 100%; height: auto; }
.sheet img + svg { position: absolute; inset: 0; height: 100%; }
.sheet text { fill: #444; font-family: var(--sans); }
.sheet rect { --fill: 0.08; --stroke: 1; fill: var(--kind); fill-opacity: var(--marked-fill, var(--fill)); stroke: var(--kind); stroke-width: var(--marked-stroke, var(--stroke)); pointer-events: all; }
.sheet rect.text { --fill: 0.03; --stroke: 0.4; stroke-dasharray: 2 2; }
.sheet rect:is(.heading, .k-left) { --fill: 0.2; }
.sheet rect.before, .sheet rect.removed { --stroke: 1.6; fill: none; stroke-dasharray: 5 3; }
.sheet rect.added, .sheet rect.changed { --fill: 0.25; --stroke: 2; }
.sheet a:focus-visible { outline: none; }
.found { overflow: auto; max-height: 90vh; position: sticky; top: 3.5rem; align-self: start; padding-right: 0.5rem; }
.item { border-left: 4px solid var(--kind); padding: 0.1rem 0 0.1rem 0.6rem; margin: 0 0 0.6rem; overflow-wrap: anywhere; background: var(--marked, transparent); }
.item h4 { margin: 0; font: 600 0.875rem/1.4 var(--sans); }
.item h4 a { color: inherit; }
.item h4 .faint { font-weight: 400; }
.item p { margin: 0.15rem 0; max-width: none; }
.item.removed { border-left-style: dashed; opacity: 0.85; }
.item .mark { color: var(--warn); font-weight: 600; }
.tree .added, .tree .changed, .tree .removed { color: var(--warn); }
.cells { font-size: 0.8125rem; line-height: 1.3; }
.cells td, .cells th { border: 1px solid var(--line); padding: 0.1rem 0.35rem; white-space: pre-wrap; }
.cells th { background: var(--shade); color: inherit; }
.both { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0.5rem; }
.both .gone { border-left: 2px dashed var(--warn); padding-left: 0.5rem; }
ins { text-decoration: none; background: color-mix(in srgb, #14804a 25%, var(--paper)); }
del { background: color-mix(in srgb, #d11a2a 20%, var(--paper)); }
${['front', 'section', 'table', 'figure', 'equation', 'reference', 'footnote', 'left', 'running']
  .map((kind) => `body:has(#show-${kind}:not(:checked)) :is(rect, .item).k-${kind}`)
  .join(',\n')} { display: none; }
${[
  ':is(g, .item):target',
  ...items.map(
    (id) => `.row:has([data-item="${id}"]:is(:hover, :focus-within, :target)) [data-item="${id}"]`,
  ),
].join(
  ',\n',
)} { --marked-fill: 0.35; --marked-stroke: 2.5; --marked: color-mix(in srgb, var(--kind) 14%, var(--paper)); }
body:has(#only-differences:checked) :is(.item.same, .item.k-left, rect.same, rect.text, rect.heading, rect.k-left) { display: none; }
@media (max-width: 55rem) { .overview, .row { grid-template-columns: minmax(0, 1fr); } .found { position: static; max-height: none; } }
@media print { .legend { position: static; } .found { max-height: none; overflow: visible; position: static; } .page { content-visibility: visible; } }
`;
