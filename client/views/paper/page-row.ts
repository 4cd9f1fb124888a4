import { type Box, bottomOf, rightOf } from '../../../domain/extraction/page-content.js';
import { preview } from '../../../domain/formats/text.js';
import type { PageView, TextBlock } from '../../../domain/stores/inspection/place-lines.js';
import type {
  Passage,
  ItemPart,
  PaperItem,
} from '../../../domain/stores/inspection/shown-paper.js';
import { itemName, pagesText, tableRows } from './paper-text.js';
import { markup, type Markup } from '../page/markup.js';
import { textDifference } from '../../../domain/formats/text-difference.js';
import type { ItemChange } from '../../../domain/stores/inspection/compare-items.js';

/** A page of the paper, with what was found on it. */
export interface PageRow {
  /** From 1. */
  readonly page: number;
  /** In points. */
  readonly width: number;
  readonly height: number;
  /** Null where there is no PDF, or the page cannot be drawn. */
  readonly view: PageView | null;
  readonly unusable: string | null;
  /** As the store has it. */
  readonly text: string;
  /** Those that begin on the page. */
  readonly items: readonly ShownItem[];
  /** The printed text outside of boxes that items have. */
  readonly blocks: readonly TextBlock[];
  /** Text that no item has. */
  readonly left: readonly TextBlock[];
  /** The same, on several pages. */
  readonly running: readonly TextBlock[];
}

interface RowContext {
  readonly passagesOf: (item: ShownItem) => readonly Passage[];
  readonly otherStore: string | null;
  readonly nameOf: (id: string) => string;
  /** By the id of an item, the key of its row in the store, to which hits of searches link. */
  readonly rowKeys: ReadonlyMap<string, string | null>;
  /** The name of what the picture shows, for those who do not see it. */
  readonly title: string;
}

/** The id of a text that no item has. */
export const leftId = ({ page }: Pick<PageRow, 'page'>, index: number): string =>
  `left-${page}-${index + 1}`;

/** The picture of a page with the boxes of what was found on it, and beside it what was read. */
export function pageRow(row: PageRow, context: RowContext): Markup {
  const { page, items, left, unusable, text } = row;
  return markup`<section class="page" id="page-${page}" aria-labelledby="h-${page}"><h3 id="h-${page}">Page ${page}</h3>
<div class="row"><div class="sheet">${pictureOf(row, context)}${overlay(row, context)}</div>
<div class="found" tabindex="0" role="region" aria-label="What was found on page ${page}">
${unusable === null ? null : markup`<p class="failure">Its text cannot be used: ${unusable}.</p>`}
${items.map((shown) => itemView(shown, context.passagesOf(shown), context.otherStore))}${left.map(
    (block, index) => {
      const id = leftId(row, index);
      return markup`<article class="item k-left" id="${id}" data-item="${id}"><h4><a href="#b-${id}">In no item</a></h4><p class="long">${block.text}</p></article>\n`;
    },
  )}${items.length + left.length === 0 ? markup`<p class="faint">Nothing begins on this page.</p>` : null}
${text === '' ? null : markup`<details><summary>text of the page</summary><p class="long">${text}</p></details>`}
</div></div>
</section>
`;
}

function pictureOf({ page, view, width, height }: PageRow, { title }: RowContext): Markup | null {
  if (view?.picture == null) return null;
  return markup`<img loading="lazy" decoding="async" width="${Math.round(width)}" height="${Math.round(height)}" alt="Page ${page} of ${title}" src="data:image/png;base64,${view.picture}">`;
}

function overlay(
  { page, width, height, view, items, blocks, left, running }: PageRow,
  context: RowContext,
): Markup {
  const areas = [
    ...blocks.map(({ item, isHeading, box }) => {
      const id = item ?? '';
      const kind = id.split('-')[0] ?? '';
      return area(
        id,
        `k-${kind} ${isHeading ? 'heading' : 'text'}`,
        box,
        context.nameOf(id),
        false,
      );
    }),
    ...left.map(({ box, text }, index) =>
      area(leftId({ page }, index), 'k-left', box, `in no item: ${preview(text, 80)}`, true),
    ),
    ...running.map(({ box }) => rectOf('k-running', box)),
    ...items.flatMap(({ id, item, change }): readonly Markup[] => {
      const other = change?.kind === 'changed' ? change.before.box : null;
      return [
        ...(other === null
          ? []
          : [
              area(
                id,
                `k-${item.kind} before`,
                other,
                `${itemName(item)} in ${context.otherStore ?? ''}`,
                false,
              ),
            ]),
        ...(item.box === null
          ? []
          : [
              markup`<g id="${context.rowKeys.get(id) ?? ''}">${area(id, `k-${item.kind} ${change?.kind ?? ''}`, item.box, itemName(item), true)}</g>`,
            ]),
      ];
    }),
  ];
  // Without a picture, the lines themselves.
  const lines =
    view === null || view.picture !== null
      ? []
      : view.lines.map(
          ({ text, box }) =>
            markup`<text x="${rounded(box[0])}" y="${rounded(bottomOf(box))}" font-size="${rounded(Math.max(1, box[3]))}" textLength="${rounded(Math.max(1, box[2]))}" lengthAdjust="spacingAndGlyphs">${text}</text>`,
        );
  const [right, bottom] = extent(width, height, items);
  return markup`<svg viewBox="0 0 ${rounded(right)} ${rounded(bottom)}" role="group" aria-label="Boxes on page ${page}">${lines}${areas}</svg>`;
}

/** An import may lack the size of a page: then it reaches as far as its boxes. */
function extent(
  width: number,
  height: number,
  items: readonly ShownItem[],
): readonly [number, number] {
  if (width > 0 && height > 0) return [width, height];
  const boxes = items.flatMap(({ item }) => (item.box === null ? [] : [item.box]));
  return [Math.max(595, ...boxes.map(rightOf)), Math.max(842, ...boxes.map(bottomOf))];
}

/** @param isTarget - whether a link of the item leads to it */
const area = (item: string, classes: string, box: Box, name: string, isTarget: boolean): Markup =>
  markup`<a href="#${item}" data-item="${item}"${isTarget ? markup` id="b-${item}"` : null}>${rectOf(classes, box)}<title>${name}</title></a>`;

const rectOf = (classes: string, [x, y, width, height]: Box): Markup =>
  markup`<rect class="${classes}" x="${rounded(x)}" y="${rounded(y)}" width="${rounded(Math.max(1, width))}" height="${rounded(Math.max(1, height))}"/>`;

const rounded = (value: number): string => String(Math.round(value * 10) / 10);

/** An item of the paper, and how it differs from that of the other store. */
export interface ShownItem {
  /** Unique in the page. */
  readonly id: string;
  readonly item: PaperItem;
  /** Null where nothing is compared. */
  readonly change: ItemChange | null;
}

/** What was read of an item, with a link to its box on the page. */
export function itemView(
  { id, item, change }: ShownItem,
  passages: readonly Passage[],
  otherStore: string | null,
): Markup {
  return markup`<article class="item k-${item.kind} ${change?.kind ?? ''}" id="${id}" data-item="${id}">
<h4>${item.box === null ? itemName(item) : markup`<a href="#b-${id}">${itemName(item)}</a>`} <span class="faint">${pagesText(item)}</span>${changeMark(change, otherStore)}</h4>
${change?.kind === 'changed' ? changedParts(change.before, change.after) : item.parts.map((part) => partView(part, item))}
${passagesView(passages)}</article>
`;
}

function changeMark(change: ItemChange | null, other: string | null): Markup | null {
  switch (change?.kind) {
    case 'added':
      return markup` <strong class="mark">not in ${other}</strong>`;
    case 'removed':
      return markup` <strong class="mark">only in ${other}</strong>`;
    case 'changed':
      return markup` <strong class="mark">differs from ${other}</strong>`;
    case 'same':
    case undefined:
      return null;
  }
}

/** The names of parts that stand for themselves. */
const unnamed = new Set(['text', 'cells', 'caption', 'LaTeX']);

function partView({ name, form, text }: ItemPart, { kind }: PaperItem): Markup | null {
  if (kind === 'section' && name === 'title') return null;
  if (form === 'html') return tableView(text);
  if (form === 'latex') return markup`<p><code>${text}</code></p>`;
  // Its text stands in the picture, and in the passages.
  if (kind === 'section' && name === 'text') return folded('text', text);
  if (unnamed.has(name)) return markup`<p>${text}</p>`;
  return markup`<p><span class="faint">${name}</span> ${text}</p>`;
}

const folded = (name: string, text: string): Markup =>
  markup`<details><summary>${name}, ${text.length} characters</summary><p class="long">${text}</p></details>`;

/** Tables with more rows are shown when they are opened. */
const mostOpenRows = 40;

function tableView(html: string): Markup {
  const rows = tableRows(html);
  if (rows.length === 0) return markup`<p class="failure">no cells</p>`;
  const table = markup`<div class="wide" tabindex="0"><table class="cells">${rows.map(
    (row) =>
      markup`<tr>${row.map(({ text, isHead, rows: down, columns: across }) => {
        const spans = markup`${down > 1 ? markup` rowspan="${down}"` : null}${across > 1 ? markup` colspan="${across}"` : null}`;
        return isHead ? markup`<th${spans}>${text}</th>` : markup`<td${spans}>${text}</td>`;
      })}</tr>`,
  )}</table></div>`;
  return rows.length <= mostOpenRows
    ? table
    : markup`<details><summary>${rows.length} rows</summary>${table}</details>`;
}

/** The parts of both, with the words marked that differ; tables beside each other. */
function changedParts(before: PaperItem, after: PaperItem): readonly (Markup | null)[] {
  const names = [...new Set([...before.parts, ...after.parts].map(({ name }) => name))];
  const parts = names.map((name) => {
    const [old, now] = [before, after].map(({ parts: all }) => all.find((p) => p.name === name));
    if (old?.text === now?.text && now !== undefined) return partView(now, after);
    if ((now ?? old)?.form === 'html') {
      return markup`<div class="both"><div class="now">${sideOf(now)}</div><div class="gone">${sideOf(old)}</div></div>`;
    }
    return markup`<p class="long"><span class="faint">${name}</span> ${differenceView(old?.text ?? '', now?.text ?? '')}</p>`;
  });
  const numbers =
    before.number === after.number ? null : differenceView(before.number ?? '', after.number ?? '');
  const placed =
    before.box !== null &&
    after.box !== null &&
    before.box.some((value, at) => Math.abs(value - (after.box?.[at] ?? 0)) > 1);
  return [
    numbers && markup`<p><span class="faint">number</span> ${numbers}</p>`,
    before.level === after.level
      ? null
      : markup`<p><span class="faint">level</span> ${differenceView(String(before.level), String(after.level))}</p>`,
    before.page === after.page
      ? null
      : markup`<p><span class="faint">page</span> ${differenceView(String(before.page ?? '–'), String(after.page ?? '–'))}</p>`,
    placed ? markup`<p class="faint">The boxes differ.</p>` : null,
    ...parts,
  ];
}

const sideOf = (table: ItemPart | undefined): Markup =>
  table === undefined ? markup`<p class="faint">no cells</p>` : tableView(table.text);

/** Characters that stay on either side of a difference. */
const context = 80;

const differenceView = (before: string, after: string): readonly Markup[] =>
  textDifference(before, after).map(({ kind, text }) => {
    if (kind === 'added') return markup`<ins>${text}</ins>`;
    if (kind === 'removed') return markup`<del>${text}</del>`;
    return text.length > 3 * context
      ? markup`${text.slice(0, context)}<span class="faint"> … </span>${text.slice(-context)}`
      : markup`${text}`;
  });

const passagesView = (passages: readonly Passage[]): Markup | null =>
  passages.length === 0
    ? null
    : markup`<details><summary>${passages.length} ${passages.length === 1 ? 'passage' : 'passages'}</summary><ol>${passages.map(
        ({ page, text }) =>
          markup`<li class="long">${text} <span class="faint">${page === null ? '' : `p. ${page}`}</span></li>`,
      )}</ol></details>`;
