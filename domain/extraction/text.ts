import { softHyphen, type PageContent, type PdfContent } from './page-content.js';

/**
 * Joins words that are broken at the end of a line; the first line keeps the whole word. The hyphen stays if the document
 * writes the word with a hyphen elsewhere (`task-specific`). Otherwise it is removed (`down-stream`).
 */
export function joinBrokenWords(content: PdfContent): PdfContent {
  const words = wordsOf(content);
  return { ...content, pages: content.pages.map((page) => joinOnPage(page, words)) };
}

function joinOnPage(page: PageContent, words: ReadonlySet<string>): PageContent {
  const texts = page.lines.map(({ text }) => text);
  for (const [index, text] of texts.entries()) {
    if (!text.endsWith(softHyphen)) continue;
    const stem = text.slice(0, -1);
    const [, rest = '', after = ''] = /^(\S+)\s*(.*)$/s.exec(texts[index + 1] ?? '') ?? [];
    if (rest === '') {
      texts[index] = `${stem}-`;
    } else {
      texts[index] = stem + hyphenBetween(stem, rest, words) + rest;
      texts[index + 1] = after;
    }
  }
  return {
    ...page,
    lines: page.lines.flatMap((line, index) => {
      const text = (texts[index] ?? '').replaceAll(softHyphen, '');
      return text === '' ? [] : [{ ...line, text }];
    }),
  };
}

function hyphenBetween(stem: string, rest: string, words: ReadonlySet<string>): '' | '-' {
  const start = bare(stem.split(' ').at(-1) ?? '');
  const end = bare(rest);
  return words.has(`${start}-${end}`) && !words.has(start + end) ? '-' : '';
}

const wordsOf = ({ pages }: PdfContent): ReadonlySet<string> =>
  new Set(pages.flatMap(({ lines }) => lines.flatMap(({ text }) => text.split(' ').map(bare))));

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
