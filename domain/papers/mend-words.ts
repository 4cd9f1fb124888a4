import { softHyphen, type PdfDocument, type PdfPage } from './pdf-document.js';

/**
 * Joins words that were broken at the end of a line; the line keeps the whole word. The hyphen stays where the
 * document writes the word with one elsewhere (`task-specific`), and goes otherwise (`down-stream`).
 */
export function mendWords(document: PdfDocument): PdfDocument {
  const words = wordsOf(document);
  return { ...document, pages: document.pages.map((page) => mendPage(page, words)) };
}

function mendPage(page: PdfPage, words: ReadonlySet<string>): PdfPage {
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

const wordsOf = ({ pages }: PdfDocument): ReadonlySet<string> =>
  new Set(pages.flatMap(({ lines }) => lines.flatMap(({ text }) => text.split(' ').map(bare))));

/** Without the punctuation around it. */
const bare = (word: string): string =>
  word.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
