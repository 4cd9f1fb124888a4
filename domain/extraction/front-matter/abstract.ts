import type { PageContent, TextLine } from '../page-content.js';
import { cellsOf, unmarked } from './cells.js';

export interface PrintedAbstract {
  readonly abstract: string | null;
  readonly keywords: readonly string[];
}

/** Alone on its line, or before the text. */
const abstractStart = /^(?:abstract|summary)\s*(?:[.:—–-]\s*|$)|^abstract\s+(?=\p{Lu})/iu;
const keywordsStart = /^(?:key\s?-?words?(?: and phrases)?|index terms)\s*(?:[.:—–-]\s*|$)/i;
const afterAbstract =
  /^(?:(?:\d{1,2}|[IVX]+)\.?\s+\p{Lu}.{0,80}|introduction|contents|table of contents|ccs concepts|categories and subject.*|general terms|jel.*|(?:ams|msc|mathematics subject).*|acm reference.*|motivation|references)\W*$/iu;

/** Whether a line begins the running text of a paper or its abstract, so that names and addresses end above it. */
export const startsText = (line: TextLine): boolean => {
  const text = cellsOf(line)
    .map((cell) => cell.text)
    .join(' ');
  return (
    abstractStart.test(text) ||
    keywordsStart.test(text) ||
    (afterAbstract.test(text) && !/^([2-9]|1\d|[A-HJ-Z]|II)/.test(text))
  );
};

/** The abstract and the keywords on the first two pages. */
export function readAbstract(pages: readonly PageContent[]): PrintedAbstract {
  const lines = pages.slice(0, 2).flatMap((page) => page.lines.filter(({ upright }) => upright));
  const start = lines.findIndex(({ text }) => abstractStart.test(text));
  const heading = lines[start];
  const own = heading?.text.replace(abstractStart, '') ?? '';
  const following = start === -1 ? [] : lines.slice(start + 1);
  const body = heading !== undefined && own !== '' ? heading : following[0];
  const end = following.findIndex((line, index) => ends(line, following[index - 1], body));
  const under = end === -1 ? [] : following.slice(0, end);
  const text = [own, ...under.map((line) => line.text)].join(' ').trim();
  return { abstract: text === '' ? null : text, keywords: readKeywords(lines) };
}

/** A heading, another size of type, or an empty space ends an abstract. */
function ends(line: TextLine, before: TextLine | undefined, body: TextLine | undefined): boolean {
  if (keywordsStart.test(line.text) || afterAbstract.test(line.text)) return true;
  if (body === undefined || line === body) return false;
  const size = Math.abs(line.fontSize - body.fontSize) > 0.06 * body.fontSize;
  const gap = before === undefined ? 0 : line.box[1] - before.box[1];
  return (size && line.text.length > 3) || gap > 3.2 * body.fontSize;
}

function readKeywords(lines: readonly TextLine[]): readonly string[] {
  const start = lines.findIndex(({ text }) => keywordsStart.test(text));
  const first = lines[start];
  if (first === undefined) return [];
  const own = first.text.replace(keywordsStart, '');
  const following = lines.slice(start + 1, start + 1 + mostKeywordLines);
  const end = following.findIndex((line, index) => {
    const before = following[index - 1] ?? first;
    const pitch = line.box[1] - before.box[1];
    return (
      startsText(line) ||
      pitch > 1.9 * line.fontSize ||
      pitch < -line.fontSize ||
      Math.abs(line.fontSize - first.fontSize) > 0.06 * first.fontSize ||
      (before.text.endsWith('.') && (before !== first || own !== ''))
    );
  });
  const rest = end === -1 ? following : following.slice(0, end);
  const text = [own, ...rest.map((line) => line.text)].join(' ').trim();
  const separator = text.includes(';') ? /;/ : /[,•·|]| - | [–—] /;
  return text
    .split(separator)
    .map((keyword) => unmarked(keyword).replace(/\.$/, ''))
    .filter((keyword) => /[\p{L}\p{N}]/u.test(keyword));
}

const mostKeywordLines = 6;
