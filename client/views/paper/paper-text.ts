import { joined, preview, type Texts } from '../../../domain/formats/text.js';
import type { ItemChange } from '../../../domain/stores/inspection/compare-items.js';
import {
  doubtsOf,
  type Doubt,
  partOf,
  type ItemKind,
  type PaperItem,
  type ShownPaper,
} from '../../../domain/stores/inspection/shown-paper.js';
import { alignColumns } from '../terminal.js';
import { DomUtils, parseDocument } from 'htmlparser2';

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

/** The names of kinds, one and many. */
export const kindNames: Readonly<Record<ItemKind, readonly [one: string, many: string]>> = {
  front: ['front matter', 'front matter'],
  section: ['section', 'sections'],
  table: ['table', 'tables'],
  figure: ['figure', 'figures'],
  equation: ['equation', 'equations'],
  reference: ['reference', 'references'],
  footnote: ['footnote', 'footnotes'],
};

/** `2.1 Data`, `Table 3`, `[12]`; where nothing is printed, its kind. */
export function itemName(item: PaperItem): string {
  const { kind, number } = item;
  const [one] = kindNames[kind];
  switch (kind) {
    case 'front':
      return 'Front matter';
    case 'section':
      return [...(number === null ? [] : [number]), partOf(item, 'title')].join(' ');
    case 'reference':
      return number === null ? `Reference ${item.id.split('-')[1] ?? ''}` : `[${number}]`;
    case 'equation':
      return number === null ? 'Equation' : `Equation (${number})`;
    case 'table':
    case 'figure':
    case 'footnote':
      return [one.charAt(0).toUpperCase() + one.slice(1), number ?? ''].join(' ').trim();
  }
}

/** `p. 3`, `pp. 3–5`; empty where the page is not known. */
export function pagesText({ pages }: Pick<PaperItem, 'pages'>): string {
  const [first, last] = [pages[0], pages.at(-1)];
  if (first === undefined || last === undefined) return '';
  return first === last ? `p. ${first}` : `pp. ${first}–${last}`;
}

/** `12 sections, 1 table`. */
export const countsText = ({ items }: Pick<ShownPaper, 'items'>): string =>
  (['section', 'table', 'figure', 'equation', 'reference', 'footnote'] as const)
    .map((kind) => {
      const count = items.filter((item) => item.kind === kind).length;
      return `${count} ${kindNames[kind][count === 1 ? 0 : 1]}`;
    })
    .join(', ');

/** Items or numbers that a sentence names. */
const mostNamed = 12;

const listText = (names: readonly string[]): string =>
  names.length > mostNamed
    ? `${names.slice(0, mostNamed).join(', ')} and ${names.length - mostNamed} more`
    : names.join(', ');

/** One sentence without a stop. */
export function doubtText(doubt: Doubt): string {
  switch (doubt.kind) {
    case 'page-unusable':
      return `page ${doubt.page} has no text that can be used: ${doubt.reason}`;
    case 'numbers-missing':
      return `no ${kindNames[doubt.of][0]} ${listText(doubt.numbers)}, though others have numbers around`;
    case 'number-twice':
      return `two ${kindNames[doubt.of][1]} ${listText(doubt.numbers)}`;
    case 'part-missing':
      return doubt.of === 'front'
        ? `no ${doubt.part}`
        : `${kindNames[doubt.of][1]} without ${doubt.part}: ${listText(doubt.items.map((item) => `${itemName(item)} ${pagesText(item)}`.trim()))}`;
  }
}

/** A cell of a table. */
interface TableCell {
  readonly text: string;
  readonly isHead: boolean;
  readonly rows: number;
  readonly columns: number;
}

/** More are no table of a paper, and would stop a browser. */
const mostSpan = 1_000;

/** The cells of a table in HTML that is not to be trusted: of all that it holds, only texts and spans are kept. */
export function tableRows(html: string): readonly (readonly TableCell[])[] {
  return DomUtils.getElementsByTagName('tr', parseDocument(html)).map((row) =>
    row.children.flatMap((node): readonly TableCell[] => {
      if (!('attribs' in node) || (node.name !== 'td' && node.name !== 'th')) return [];
      const span = (name: string): number => {
        const stated = Number(node.attribs[name] ?? 1);
        return Number.isInteger(stated) ? Math.min(mostSpan, Math.max(1, stated)) : 1;
      };
      return [
        {
          text: DomUtils.innerText(node).trim(),
          isHead: node.name === 'th',
          rows: span('rowspan'),
          columns: span('colspan'),
        },
      ];
    }),
  );
}
