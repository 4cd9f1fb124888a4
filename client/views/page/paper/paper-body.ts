import { instantText, percent } from '../../../../domain/formats/text.js';
import type { ItemChange } from '../../../../domain/stores/inspection/compare-items.js';
import {
  doubtsOf,
  itemKinds,
  type ItemKind,
  type PaperItem,
  type Passage,
  type ShownPaper,
} from '../../../../domain/stores/inspection/shown-paper.js';
import { shareOf } from '../../../../domain/stores/inspection/place-lines.js';
import { doubtText, itemName, kindNames, pagesText } from '../../paper/paper-words.js';
import { columnHead, markup, numberCell, numberHead, rowHead, type Markup } from '../markup.js';
import { itemView, type ShownItem } from './item-view.js';
import { pageRow, type PageRow } from './page-row.js';

export interface PaperBody {
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
<dl class="facts">${facts.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></header>
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
<table><thead><tr>${columnHead('kind')}${['the same', 'differ', `not in ${store}`, `only in ${store}`].map(numberHead)}</tr></thead>
<tbody>${itemKinds.map((kind) => {
  const of = changes.filter((change) => itemOf(change).kind === kind);
  if (of.length === 0) return null;
  return markup`<tr>${rowHead(kindNames[kind][1])}${changeKinds.map((each) => numberCell(String(of.filter((change) => change.kind === each).length)))}</tr>`;
})}</tbody></table></section>
`;

const itemOf = (change: ItemChange): PaperItem =>
  change.kind === 'removed' ? change.before : change.after;
