import {
  partOf,
  type Doubt,
  type ItemKind,
  type PaperItem,
  type ShownPaper,
} from '../../../domain/stores/inspection/shown-paper.js';

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
