import { bottomOf, rightOf, type Box } from '../../../../domain/extraction/page-content.js';
import { preview } from '../../../../domain/formats/text.js';
import type { PageView, TextBlock } from '../../../../domain/stores/inspection/place-lines.js';
import type { Passage } from '../../../../domain/stores/inspection/shown-paper.js';
import { itemName } from '../../paper/paper-words.js';
import { markup, type Markup } from '../markup.js';
import { itemView, type ShownItem } from './item-view.js';

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

export interface RowContext {
  readonly passagesOf: (item: ShownItem) => readonly Passage[];
  readonly otherStore: string | null;
  readonly nameOf: (id: string) => string;
  /** By the id of an item, the key of its row in the store, to which hits of searches link. */
  readonly rowKeys: ReadonlyMap<string, string | null>;
  /** The name of what the picture shows, for those who do not see it. */
  readonly title: string;
}

/** The picture of a page with the boxes of what was found on it, and beside it what was read. */
export function pageRow(row: PageRow, context: RowContext): Markup {
  const { page, items, left, unusable, text } = row;
  return markup`<section class="page" id="page-${page}" aria-labelledby="h-${page}"><h3 id="h-${page}">Page ${page}</h3>
<div class="row"><div class="sheet">${pictureOf(row, context)}${overlay(row, context)}</div>
<div class="found" tabindex="0" role="region" aria-label="What was found on page ${page}">
${unusable === null ? null : markup`<p class="failure">Its text cannot be used: ${unusable}.</p>`}
${items.map((shown) => itemView(shown, context.passagesOf(shown), context.otherStore))}${left.map(
    (block, index) =>
      markup`<article class="item k-left" id="left-${page}-${index + 1}" data-item="left-${page}-${index + 1}"><h4><a href="#b-left-${page}-${index + 1}">In no item</a></h4><p class="long">${block.text}</p></article>\n`,
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
      area(`left-${page}-${index + 1}`, 'k-left', box, `in no item: ${preview(text, 80)}`, true),
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
