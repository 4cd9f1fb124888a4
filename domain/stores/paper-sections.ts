import type { OutlineEntry, PdfDocument, PdfLine } from './pdf-document.js';

/** Default values that programs write into the title property. */
const meaningless =
  /^(untitled.*|document\d*|microsoft word.*|powerpoint.*|.*\.(docx?|tex|dvi|pdf|ps|indd|typ)|arxiv:.*|title|paper)$/i;

/** The title property, else the text in the largest font on the first page, else an empty string. */
export function findTitle({ properties, pages }: PdfDocument): string {
  const stated = properties.title.replace(/\s+/g, ' ').trim();
  if (/\p{L}.*\p{L}/u.test(stated) && !meaningless.test(stated)) return stated;
  const lines = (pages[0]?.lines ?? []).filter(({ upright }) => upright);
  const largest = Math.max(0, ...lines.filter(hasWords).map(({ fontSize }) => fontSize));
  const isLargest = ({ fontSize }: PdfLine): boolean => largest - fontSize <= 0.5;
  const start = lines.findIndex((line) => hasWords(line) && isLargest(line));
  if (start === -1) return '';
  const rest = lines.slice(start);
  const end = rest.findIndex((line) => !isLargest(line));
  return rest
    .slice(0, end === -1 ? rest.length : end)
    .map(({ text }) => text)
    .join(' ');
}

const hasWords = ({ text }: PdfLine): boolean => /\p{L}{2}/u.test(text);

/** The names in the author property, separated by `;`, `,`, `and` or `&`. */
export function findAuthors({ properties }: PdfDocument): readonly string[] {
  return properties.author
    .split(/\s*(?:;|,|\band\b|&)\s*/)
    .map((name) => name.trim())
    .filter((name) => /\p{L}/u.test(name));
}

export function findKeywords({ properties }: PdfDocument): readonly string[] {
  return properties.keywords
    .split(/[;,]/)
    .map((keyword) => keyword.trim())
    .filter((keyword) => keyword !== '');
}

const abstractHeading = /^abstract\s*[.:—–-]?\s*/i;
const afterAbstract =
  /^((\d|i)[.:]?\s+)?introduction\W*$|^(key ?words|index terms|ccs concepts|categories and subject)/i;

/** The text below a heading `Abstract` on the first two pages, up to the next heading; null if there is none. */
export function findAbstract({ pages }: PdfDocument, headings: readonly Heading[]): string | null {
  for (const [page, { lines }] of pages.slice(0, 2).entries()) {
    const start = lines.findIndex(({ text }) => /^abstract\b/i.test(text));
    if (start === -1) continue;
    const starts = new Set(headings.filter((h) => h.page === page).map(({ line }) => line));
    const [first = '', ...rest] = lines.slice(start).map(({ text }) => text);
    const end = rest.findIndex(
      (text, index) => starts.has(start + 1 + index) || afterAbstract.test(text),
    );
    const under = end === -1 ? rest : rest.slice(0, end);
    const abstract = [first.replace(abstractHeading, ''), ...under].join(' ').trim();
    if (abstract !== '') return abstract;
  }
  return null;
}

/** The heading of a top-level section: `lineCount` lines from `line` of `page`, both counted from 0. */
interface Heading {
  readonly title: string;
  readonly page: number;
  readonly line: number;
  /** 0 when the heading was not found among the lines, e.g. because the outline names a page only. */
  readonly lineCount: number;
}

/** Top-level headings in reading order, from the PDF's outline or, without one, from fonts and wording. */
export function findHeadings(document: PdfDocument): readonly Heading[] {
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

/** The number of lines from `start` that form the heading; 0 if they do not. */
function printedAs(wanted: string, lines: readonly PdfLine[], start: number): number {
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

/** The most frequent font size, by characters. */
function bodySize({ pages }: PdfDocument): number {
  const characters = new Map<number, number>();
  for (const { fontSize, text } of pages.flatMap(({ lines }) => lines)) {
    characters.set(fontSize, (characters.get(fontSize) ?? 0) + text.length);
  }
  const [size = 0] = [...characters].sort(([, a], [, b]) => b - a)[0] ?? [];
  return size;
}

export interface Section {
  readonly title: string;
  /** The text between this heading and the next one. */
  readonly text: string;
  /** Numbers of the pages with the heading or a part of the text, from 1. */
  readonly pages: readonly number[];
}

/**
 * Cuts a document at its headings. Each line belongs to at most one section, also when several sections share a page.
 * @param headings - in reading order
 */
export function cutSections(
  { pages }: PdfDocument,
  headings: readonly Heading[],
): readonly Section[] {
  return headings.map((heading, index) => {
    const next = headings[index + 1];
    const lastPage = next?.page ?? pages.length - 1;
    const pieces = pages.slice(heading.page, lastPage + 1).map(({ lines }, offset) => {
      const page = heading.page + offset;
      const start = page === heading.page ? heading.line + heading.lineCount : 0;
      const end = page === next?.page ? next.line : lines.length;
      const text = lines.slice(start, Math.max(start, end)).map((line) => line.text);
      return { page: page + 1, text: text.join('\n') };
    });
    const filled = pieces.filter(({ page, text }) => text !== '' || page === heading.page + 1);
    return {
      title: heading.title,
      text: filled
        .map(({ text }) => text)
        .filter((text) => text !== '')
        .join('\n'),
      pages: filled.map(({ page }) => page),
    };
  });
}
