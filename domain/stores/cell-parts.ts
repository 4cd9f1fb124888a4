import type { EncodableCell } from './database-schema.js';

/**
 * The most word pieces of a part, as `wordPieces` estimates them. Small embedders read 256 of theirs: of 2,201 parts of
 * pages of 28 papers, 98 in 100 were within that by the tokenizer of BERT, and the longest had 290.
 */
const partLimit = 200;

/** A part of a cell that gets a vector of its own. A search result names the cell. */
export interface CellPart {
  readonly cell: EncodableCell;
  readonly text: string;
}

/** The parts of cells, in order: most cells are one. Dense vectors are made of them, since embedders read only so far. */
export const partsOfCells = (cells: readonly EncodableCell[]): readonly CellPart[] =>
  cells.flatMap((cell) => splitIntoParts(cell.text).map((text) => ({ cell, text })));

/**
 * A text in parts that an embedder reads to their end: as many sentences or table rows as fit. Only a longer sentence is split
 * between words, and only a longer word within. A text that is one part is not changed; otherwise white space becomes a space.
 */
export function splitIntoParts(text: string): readonly string[] {
  if (fits(text)) return [text];
  const sentences = text.replaceAll(/\s+/g, ' ').trim().split(sentenceEnd);
  return join(
    sentences.flatMap((sentence) => (fits(sentence) ? [sentence] : join(words(sentence)))),
  );
}

const sentenceEnd = /(?<=[.?!]["'”’)\]]*) (?=["'“‘([]?[\p{Lu}\p{N}])|(?<=[。！？]|<\/tr>) ?/u;

const words = (sentence: string): readonly string[] =>
  sentence.split(' ').flatMap((word) => (fits(word) ? [word] : (word.match(longestCut) ?? [])));

/** No character is more than a word piece. */
const longestCut = new RegExp(`.{1,${partLimit}}`, 'gsu');

const fits = (text: string): boolean => text.length <= partLimit || wordPieces(text) <= partLimit;

/** Joins neighbours as long as they fit. */
function join(parts: readonly string[]): readonly string[] {
  const joined: string[] = [];
  let size = Infinity;
  for (const part of parts) {
    const pieces = wordPieces(part);
    size += pieces;
    if (size <= partLimit) {
      joined.push(`${joined.pop() ?? ''} ${part}`);
    } else {
      joined.push(part);
      size = pieces;
    }
  }
  return joined;
}

/** An estimate of the tokens of BERT-like models: five letters or digits of a Latin word, or any other sign, are one. */
const wordPieces = (text: string): number => text.match(piece)?.length ?? 0;
const piece = /[\p{Script=Latin}\p{N}]{1,5}|\S/gu;
