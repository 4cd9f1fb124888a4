import { softHyphen, type PdfContent, type TextLine } from './page-content.js';

/**
 * Joins words that are broken at the end of a line, also of a page; the first line keeps the whole word. The hyphen stays if
 * the document writes the word with a hyphen elsewhere (`task-specific`), and between words of a compound (`state-of-the-art`).
 * Otherwise it is removed (`down-stream`).
 * @param apart - lines between which text goes on, such as running heads. They and all lines without a broken word stay the
 * same objects.
 */
export function joinBrokenWords(
  content: PdfContent,
  apart: ReadonlySet<TextLine> = new Set(),
): PdfContent {
  const words = wordsOf(content);
  const flow = content.pages.flatMap(({ lines }) => lines.filter((line) => !apart.has(line)));
  const changed = new Map<TextLine, string>();
  const textOf = (line: TextLine): string => changed.get(line) ?? line.text;
  for (const [index, line] of flow.entries()) {
    const text = textOf(line);
    const isRange = brokenRange.test(text);
    if (!text.endsWith(softHyphen) && !isRange) continue;
    const stem = text.slice(0, -1);
    const next = continuation(line, flow.slice(index + 1, index + 1 + farthestContinuation));
    const [, rest = '', after = ''] = /^(\S+)\s*(.*)$/s.exec(next ? textOf(next) : '') ?? [];
    if (isRange && !/^\d/.test(rest)) continue;
    const between = isRange ? text.slice(-1) : hyphenBetween(stem, rest, words);
    changed.set(line, rest === '' ? `${stem}-` : stem + between + rest);
    if (next && rest !== '') changed.set(next, after);
  }
  const joined = (line: TextLine): readonly TextLine[] => {
    const text = textOf(line).replaceAll(softHyphen, '');
    if (text === line.text) return [line];
    return text === '' ? [] : [{ ...line, text }];
  };
  return {
    ...content,
    pages: content.pages.map((page) => ({ ...page, lines: page.lines.flatMap(joined) })),
  };
}

/** A line of running text that ends within a range of numbers: `pages 12–`. */
const brokenRange = /\p{L}{2}.* \(?\d+[–-]$/u;

/** Lines of footnotes, captions and figures that may stand between the halves of a word. */
const farthestContinuation = 60;

/** The next line if it is in the same size, else the next one in that size that begins with a small letter. */
function continuation(line: TextLine, after: readonly TextLine[]): TextLine | undefined {
  const alike = (other: TextLine): boolean =>
    other.upright === line.upright && Math.abs(other.fontSize - line.fontSize) < 0.3;
  const [next] = after;
  if (next === undefined || alike(next)) return next;
  return after.find((other) => alike(other) && /^\p{Ll}/u.test(other.text)) ?? next;
}

/** Whether the hyphen at which a line ends belongs to the word. */
function hyphenBetween(stem: string, rest: string, words: ReadonlySet<string>): '' | '-' {
  // No word has a capital in its middle, nor a number: `Open-Domain`, `GPT-4`.
  if (/^\p{N}/u.test(rest) || (/\p{Ll}$/u.test(stem) && /^\p{Lu}/u.test(rest))) return '-';
  const word = stem.split(' ').at(-1) ?? '';
  const [start, end] = [bare(word), bare(rest)];
  const [before = '', after = ''] = [start.split('-').at(-1), end.split('-')[0]];
  if (words.has(start + end) || words.has(before + after)) return '';
  if (
    words.has(`${start}-${end}`) ||
    alwaysHyphened.test(`${word}-${rest}`) ||
    /^\p{L}$/u.test(before)
  )
    return '-';
  // Of several words, as `state-of-the-art`, each is one: `mem` of `long-memory` is none.
  const isCompound = before !== start || after !== end;
  const areWords = words.has(before) && (words.has(after) || linking.test(before));
  return isCompound && areWords ? '-' : '';
}

/** `self-made`, `RNA-based`. */
const alwaysHyphened = /(?:^|[^\p{L}])(?:[Ss]elf-|[Ww]ell-|quasi-|\p{Lu}{2,}-(?=\p{Ll}))/u;
const linking = /^(?:of|the|to|and|or|by|on|at|for|de|la|le|der|und|et|y)$/;

/** The words of all lines, without the halves of broken ones. */
function wordsOf({ pages }: PdfContent): ReadonlySet<string> {
  const lines = pages.flatMap((page) => page.lines.map(({ text }) => text));
  const printed = lines.flatMap((text, index) => {
    const isBroken = lines[index - 1]?.endsWith(softHyphen) === true;
    return text
      .split(' ')
      .slice(isBroken ? 1 : 0)
      .filter((word) => !word.endsWith(softHyphen));
  });
  return new Set(Array.from(new Set(printed), bare));
}

/** Without the punctuation around it. */
const bare = (word: string): string =>
  word.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');

const wide =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u3001-\\u303F\\uFF01-\\uFF60]';
const spaceInWide = new RegExp(`(?<=${wide}) (?=${wide})`, 'gu');

/** A text of joined lines without the spaces between Chinese and Japanese characters, which are no words' ends. */
export const closed = (text: string): string => text.replace(spaceInWide, '');

const separators = ['\n\n', '\n', ' ', ''];

/**
 * Cuts a text into passages of at most `limit` code points, at the coarsest possible separator: blank line, line, word,
 * character. Passages are stripped, not empty and do not overlap.
 */
export function chunkText(text: string, limit: number): readonly string[] {
  return split(text, separators, limit)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '');
}

function split(text: string, candidates: readonly string[], limit: number): readonly string[] {
  const at = candidates.findIndex((candidate) => text.includes(candidate));
  const finer = candidates.slice(at + 1);
  const chunks: string[] = [];
  let pending: string[] = [];
  const mergePending = () => {
    chunks.push(...merge(pending, limit));
    pending = [];
  };
  for (const piece of pieces(text, candidates[at] ?? '')) {
    if (length(piece) < limit || finer.length === 0) {
      pending.push(piece);
    } else {
      mergePending();
      chunks.push(...split(piece, finer, limit));
    }
  }
  mergePending();
  return chunks;
}

/** Splits a text; each separator begins the piece after it. */
function pieces(text: string, separator: string): readonly string[] {
  if (separator === '') return Array.from(text);
  return text.split(separator).map((piece, index) => (index === 0 ? piece : separator + piece));
}

function merge(parts: readonly string[], limit: number): readonly string[] {
  const merged: string[] = [];
  let current = '';
  for (const part of parts) {
    if (current !== '' && length(current) + length(part) > limit) {
      merged.push(current);
      current = '';
    }
    current += part;
  }
  return current === '' ? merged : [...merged, current];
}

const length = (text: string): number => Array.from(text).length;
