import { textDifference } from '../../../../domain/formats/text-difference.js';
import type { ItemChange } from '../../../../domain/stores/inspection/compare-items.js';
import type {
  ItemPart,
  PaperItem,
  Passage,
} from '../../../../domain/stores/inspection/shown-paper.js';
import { itemName, pagesText } from '../../paper/paper-words.js';
import { tableRows } from '../../paper/table-rows.js';
import { markup, type Markup } from '../markup.js';

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
