import type { OutlineEntry, PdfDocument, PdfLine } from './pdf-document.js';

/** Where a top-level section begins: its heading is `lineCount` lines from `line` of `page`, both counted from 0. */
export interface Heading {
  readonly title: string;
  readonly page: number;
  readonly line: number;
  /** 0 where the heading itself is not among the lines, as when the outline names a page only. */
  readonly lineCount: number;
}

/** Top-level headings in reading order: after the outline if there is one, else after the print. */
export function findHeadings(document: PdfDocument): readonly Heading[] {
  const headings =
    document.outline.length > 0
      ? topLevel(document.outline).flatMap((entry) => locate(document, entry))
      : printedHeadings(document);
  return [...headings].sort((a, b) => a.page - b.page || a.line - b.line);
}

/** The outermost level that divides the paper: a lone entry that holds all others is its title. */
function topLevel(outline: readonly OutlineEntry[]): readonly OutlineEntry[] {
  const levels = [...new Set(outline.map(({ level }) => level))].sort((a, b) => a - b);
  const level = levels.find((candidate) => outline.filter((e) => e.level === candidate).length > 1);
  return outline.filter((entry) => entry.level === (level ?? levels[0]));
}

/** A heading may be printed over several lines. */
const longestHeading = 4;

function locate(document: PdfDocument, entry: OutlineEntry): readonly Heading[] {
  const lines = document.pages[entry.page - 1]?.lines;
  if (lines === undefined) return [];
  const { title, top } = entry;
  const at = { title, page: entry.page - 1 };
  const wanted = comparable(title);
  const printed = lines.flatMap((line, index) => {
    const count = printedAs(wanted, lines, index);
    return count === 0 ? [] : [{ index, count, distance: Math.abs(line.top - (top ?? line.top)) }];
  });
  const [nearest] = printed.sort((a, b) => a.distance - b.distance || a.index - b.index);
  if (nearest) return [{ ...at, line: nearest.index, lineCount: nearest.count }];
  const below = top === null ? 0 : lines.findIndex((line) => line.upright && line.top <= top + 1);
  return [{ ...at, line: below === -1 ? lines.length : below, lineCount: 0 }];
}

/** How many lines from `start` make up the heading; 0 if they do not. */
function printedAs(wanted: string, lines: readonly PdfLine[], start: number): number {
  let text = '';
  for (const [index, line] of lines.slice(start, start + longestHeading).entries()) {
    text = `${text} ${line.text}`.trim();
    if (comparable(text) === wanted) return index + 1;
  }
  return 0;
}

/** Letters and digits without a leading section number, since outlines often leave that out. */
const comparable = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^(\d+(\.\d+)*|[ivx]+|[a-z])[.:)]?\s+/, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

const numbered = /^(\d{1,2}|[IVX]{1,4}|[A-H])[.:]?\s+\p{Lu}/u;
const wellKnown =
  /^(abstract|introduction|related work|background|methods?|methodology|experiments?|results|evaluation|discussion|limitations?|ethics statement|broader impact|conclusions?|acknowledge?ments?|references|bibliography|appendix|appendices|supplementary material)\W*$/i;

/** Lines set larger or bolder than the body that read like the heading of a section. */
function printedHeadings(document: PdfDocument): readonly Heading[] {
  const body = bodySize(document);
  return document.pages.flatMap(({ lines }, page) =>
    lines.flatMap((line, index) => {
      const { text, upright, fontSize, bold } = line;
      const standsOut = upright && (fontSize > body * 1.05 || (bold && fontSize > body * 0.95));
      const reads = wellKnown.test(text) || (numbered.test(text) && text.length <= 80);
      return standsOut && reads ? [{ title: text, page, line: index, lineCount: 1 }] : [];
    }),
  );
}

/** The font size of most characters. */
function bodySize({ pages }: PdfDocument): number {
  const characters = new Map<number, number>();
  for (const { fontSize, text } of pages.flatMap(({ lines }) => lines)) {
    characters.set(fontSize, (characters.get(fontSize) ?? 0) + text.length);
  }
  const [size = 0] = [...characters].sort(([, a], [, b]) => b - a)[0] ?? [];
  return size;
}
