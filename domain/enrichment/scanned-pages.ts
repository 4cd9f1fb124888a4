import type { Paper } from '../extraction/paper.js';
import { chunkText } from '../extraction/text.js';

/** The longest chunk, in characters, as extraction cuts them (extraction/chunks.ts). */
const chunkLimit = 512;

/**
 * A paper with the texts that a model has read from pictures of its pages. Their chunks belong to no section.
 * @param texts - by page; null where there is none
 */
export function withScans(paper: Paper, texts: readonly (string | null)[]): Paper {
  if (texts.every((text) => text === null)) return paper;
  const read = texts.flatMap((text, index) =>
    text === null
      ? []
      : chunkText(text, chunkLimit).map((chunk) => ({
          page: index + 1,
          section: null,
          text: chunk,
        })),
  );
  return {
    ...paper,
    pages: paper.pages.map((page, index) => {
      const text = texts[index] ?? null;
      return text === null ? page : { ...page, text };
    }),
    chunks: [...paper.chunks, ...read].sort((a, b) => a.page - b.page),
  };
}
