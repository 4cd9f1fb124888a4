import { joined, preview, type Texts } from '../../../domain/formats/text.js';
import type { ItemChange } from '../../../domain/stores/inspection/compare-items.js';
import {
  doubtsOf,
  partOf,
  type ItemKind,
  type PaperItem,
  type ShownPaper,
} from '../../../domain/stores/inspection/shown-paper.js';
import { alignColumns } from '../terminal.js';
import { countsText, doubtText, itemName, kindNames, pagesText } from './paper-words.js';
import { tableRows } from './table-rows.js';

/** Characters of a caption or reference in its line. */
const longest = 100;

/** What a store holds of a paper, a line an item. */
export function paperText(paper: ShownPaper): string {
  const front = paper.items.find(({ kind }) => kind === 'front');
  const list = (kind: ItemKind, about: (item: PaperItem) => string): Texts => {
    const rows = paper.items
      .filter((item) => item.kind === kind)
      .map((item) => [
        `  ${'  '.repeat(item.level - 1)}${preview(itemName(item), longest)}`,
        pagesText(item),
        about(item),
      ]);
    return rows.length > 0 && `${kindNames[kind][1]}\n${alignColumns(rows)}`;
  };
  const doubts = doubtsOf(paper).map((doubt) => `  ${doubtText(doubt)}`);
  return joined(
    '\n\n',
    joined(
      '\n',
      paper.title,
      front?.parts.map(
        ({ name, text }) => name !== 'title' && `${name}: ${preview(text, 2 * longest)}`,
      ),
      `${paper.pages.length} pages, ${countsText(paper)}, ${paper.passages.length} passages`,
    ),
    doubts.length > 0 && ['may be missing', ...doubts].join('\n'),
    list('section', () => ''),
    list('table', (item) => `${sizeText(item)}  ${caption(item)}`),
    list('figure', caption),
    list('equation', (item) => preview(partOf(item, 'LaTeX'), longest)),
    list('reference', (item) => preview(partOf(item, 'text'), longest)),
    list('footnote', (item) => preview(partOf(item, 'text'), longest)),
  );
}

const caption = (item: PaperItem): string => preview(partOf(item, 'caption'), longest);

/** `3 × 4`: rows and columns. */
function sizeText(item: PaperItem): string {
  const rows = tableRows(partOf(item, 'cells'));
  const columns = (rows[0] ?? []).reduce((sum, cell) => sum + cell.columns, 0);
  return `${rows.length} × ${columns}`;
}

/** The items that differ between two stores, a line each. */
export function differencesText(
  changes: readonly ItemChange[],
  [store, other]: readonly [store: string, other: string],
): string {
  const words = { changed: 'differs', added: `only in ${store}`, removed: `only in ${other}` };
  const rows = changes.flatMap((change) => {
    if (change.kind === 'same') return [];
    const item = change.kind === 'removed' ? change.before : change.after;
    return [
      [
        kindNames[item.kind][0],
        words[change.kind],
        pagesText(item),
        preview(itemName(item), longest),
      ],
    ];
  });
  const same = changes.filter(({ kind }) => kind === 'same').length;
  const summary = `${same} of ${changes.length} items are the same in ${store} and ${other}`;
  return rows.length === 0 ? summary : `${alignColumns(rows)}\n\n${summary}`;
}
