import { softHyphen, type PdfContent, type TextLine } from './page-content.js';

/**
 * Joins words that are broken at the end of a line, also of a page; the first line keeps the whole word. The hyphen stays if
 * the document writes the word with a hyphen elsewhere (`task-specific`). Otherwise it is removed (`down-stream`).
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
    if (!textOf(line).endsWith(softHyphen)) continue;
    const stem = textOf(line).slice(0, -1);
    const next = continuation(line, flow.slice(index + 1, index + 1 + farthestContinuation));
    const [, rest = '', after = ''] = /^(\S+)\s*(.*)$/s.exec(next ? textOf(next) : '') ?? [];
    changed.set(line, rest === '' ? `${stem}-` : stem + hyphenBetween(stem, rest, words) + rest);
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

function hyphenBetween(stem: string, rest: string, words: ReadonlySet<string>): '' | '-' {
  // No word has a capital in its middle: `Open-Domain`.
  if (/\p{Ll}$/u.test(stem) && /^\p{Lu}/u.test(rest)) return '-';
  const start = bare(stem.split(' ').at(-1) ?? '');
  const end = bare(rest);
  return words.has(`${start}-${end}`) && !words.has(start + end) ? '-' : '';
}

function wordsOf({ pages }: PdfContent): ReadonlySet<string> {
  const printed = new Set(
    pages.flatMap(({ lines }) => lines.flatMap(({ text }) => text.split(' '))),
  );
  return new Set(Array.from(printed, bare));
}

/** Without the punctuation around it. */
const bare = (word: string): string =>
  word.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');

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
