import { textOf } from './lines.js';
import type { OutlineEntry, PdfContent, TextLine } from './page-content.js';
import type { Section } from './paper.js';

/** The heading of a top-level section: `lineCount` lines from `line` of `page`, both counted from 0. */
export interface Heading {
  readonly title: string;
  readonly page: number;
  readonly line: number;
  /** 0 when the heading was not found among the lines, e.g. because the outline names a page only. */
  readonly lineCount: number;
}

/** Top-level headings in reading order, from the PDF's outline or, without one, from fonts and wording. */
export function findHeadings(document: PdfContent): readonly Heading[] {
  const headings =
    document.outline.length > 0
      ? topLevel(document.outline).flatMap((entry) => locate(document, entry))
      : printedHeadings(document);
  return [...headings].sort((a, b) => a.page - b.page || a.line - b.line);
}

/** Entries of the outermost level with more than one entry: a single entry above the others is the paper's title. */
function topLevel(outline: readonly OutlineEntry[]): readonly OutlineEntry[] {
  const levels = [...new Set(outline.map(({ level }) => level))].sort((a, b) => a - b);
  const level = levels.find((candidate) => outline.filter((e) => e.level === candidate).length > 1);
  return outline.filter((entry) => entry.level === (level ?? levels[0]));
}

/** The maximum number of lines of a heading. */
const longestHeading = 4;

function locate(document: PdfContent, entry: OutlineEntry): readonly Heading[] {
  const lines = document.pages[entry.page - 1]?.lines;
  if (lines === undefined) return [];
  const { title, y } = entry;
  const at = { title, page: entry.page - 1 };
  const wanted = comparable(title);
  const printed = lines.flatMap((line, index) => {
    const count = printedAs(wanted, lines, index);
    return count === 0
      ? []
      : [{ index, count, distance: Math.abs(line.box[1] - (y ?? line.box[1])) }];
  });
  const [nearest] = printed.sort((a, b) => a.distance - b.distance || a.index - b.index);
  if (nearest) return [{ ...at, line: nearest.index, lineCount: nearest.count }];
  const below = y === null ? 0 : lines.findIndex((line) => line.upright && line.box[1] >= y - 1);
  return [{ ...at, line: below === -1 ? lines.length : below, lineCount: 0 }];
}

/** The number of lines from `start` that form the heading; 0 if they do not. */
function printedAs(wanted: string, lines: readonly TextLine[], start: number): number {
  let text = '';
  for (const [index, line] of lines.slice(start, start + longestHeading).entries()) {
    text = `${text} ${line.text}`.trim();
    if (comparable(text) === wanted) return index + 1;
  }
  return 0;
}

/** Letters and digits only, without the section number, because outlines often leave it out. */
const comparable = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^(\d+(\.\d+)*|[ivx]+|[a-z])[.:)]?\s+/, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

const numbered = /^(\d{1,2}|[IVX]{1,4}|[A-H])[.:]?\s+\p{Lu}/u;
const wellKnown =
  /^(abstract|introduction|related work|background|methods?|methodology|experiments?|results|evaluation|discussion|limitations?|ethics statement|broader impact|conclusions?|acknowledge?ments?|references|bibliography|appendix|appendices|supplementary material)\W*$/i;

/** Lines in a larger or bolder font than the body, with the wording of a section heading. */
function printedHeadings(document: PdfContent): readonly Heading[] {
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

/** The most frequent font size, by characters. */
function bodySize({ pages }: PdfContent): number {
  const characters = new Map<number, number>();
  for (const { fontSize, text } of pages.flatMap(({ lines }) => lines)) {
    characters.set(fontSize, (characters.get(fontSize) ?? 0) + text.length);
  }
  const [size = 0] = [...characters].sort(([, a], [, b]) => b - a)[0] ?? [];
  return size;
}

/**
 * Cuts a document at its headings. Each line belongs to at most one section, also when several sections share a page.
 * @param headings - in reading order
 */
export function cutSections(
  { pages }: PdfContent,
  headings: readonly Heading[],
): readonly Section[] {
  return headings.map((heading, index) => {
    const next = headings[index + 1];
    const lastPage = next?.page ?? pages.length - 1;
    const pieces = pages.slice(heading.page, lastPage + 1).map(({ lines }, offset) => {
      const page = heading.page + offset;
      const start = page === heading.page ? heading.line + heading.lineCount : 0;
      const end = page === next?.page ? next.line : lines.length;
      return { page: page + 1, text: textOf(lines.slice(start, Math.max(start, end))) };
    });
    const filled = pieces.filter(({ page, text }) => text !== '' || page === heading.page + 1);
    return {
      title: heading.title,
      number: null,
      level: 1,
      parent: null,
      text: filled
        .map(({ text }) => text)
        .filter((text) => text !== '')
        .join('\n'),
      pages: filled.map(({ page }) => page),
    };
  });
}
