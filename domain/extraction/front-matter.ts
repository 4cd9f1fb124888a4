import type { PdfContent, TextLine } from './page-content.js';
import type { FrontMatter } from './paper.js';
import type { Heading } from './headings/heading.js';

/** What the first pages and the document properties say about the paper. */
export function findFrontMatter(content: PdfContent, headings: readonly Heading[]): FrontMatter {
  return {
    title: findTitle(content) || null,
    subtitle: null,
    authors: [...findAuthors(content)],
    affiliations: [],
    abstract: findAbstract(content, headings),
    keywords: [...findKeywords(content)],
    year: null,
    venue: null,
    doi: null,
    arxivId: null,
  };
}

/** Default values that programs write into the title property. */
const meaningless =
  /^(untitled.*|document\d*|microsoft word.*|powerpoint.*|.*\.(docx?|tex|dvi|pdf|ps|indd|typ)|arxiv:.*|title|paper)$/i;

/** The title property, else the text in the largest font on the first page, else an empty string. */
function findTitle({ properties, pages }: PdfContent): string {
  const stated = properties.title.replace(/\s+/g, ' ').trim();
  if (/\p{L}.*\p{L}/u.test(stated) && !meaningless.test(stated)) return stated;
  const lines = (pages[0]?.lines ?? []).filter(({ upright }) => upright);
  const largest = Math.max(0, ...lines.filter(hasWords).map(({ fontSize }) => fontSize));
  const isLargest = ({ fontSize }: TextLine): boolean => largest - fontSize <= 0.5;
  const start = lines.findIndex((line) => hasWords(line) && isLargest(line));
  if (start === -1) return '';
  const rest = lines.slice(start);
  const end = rest.findIndex((line) => !isLargest(line));
  return rest
    .slice(0, end === -1 ? rest.length : end)
    .map(({ text }) => text)
    .join(' ');
}

const hasWords = ({ text }: TextLine): boolean => /\p{L}{2}/u.test(text);

/** The names in the author property, separated by `;`, `,`, `and` or `&`. */
function findAuthors({ properties }: PdfContent): readonly string[] {
  return properties.author
    .split(/\s*(?:;|,|\band\b|&)\s*/)
    .map((name) => name.trim())
    .filter((name) => /\p{L}/u.test(name));
}

function findKeywords({ properties }: PdfContent): readonly string[] {
  return properties.keywords
    .split(/[;,]/)
    .map((keyword) => keyword.trim())
    .filter((keyword) => keyword !== '');
}

const abstractHeading = /^abstract\s*[.:—–-]?\s*/i;
const afterAbstract =
  /^((\d|i)[.:]?\s+)?introduction\W*$|^(key ?words|index terms|ccs concepts|categories and subject)/i;

/** The text below a heading `Abstract` on the first two pages, up to the next heading; null if there is none. */
function findAbstract({ pages }: PdfContent, headings: readonly Heading[]): string | null {
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
