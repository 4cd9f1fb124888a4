import { chunksOfText } from '../extraction/chunks.js';
import { pageItemId } from '../stores/paper-rows.js';
import type { PaperRows } from '../stores/paper-tables.js';

/**
 * The rows of a paper with the texts that a model has read from pictures of its pages, and their chunks, cut as those of other pages.
 * @param texts - by page; null where there is none
 */
export function withScans(rows: PaperRows, texts: readonly (string | null)[]): PaperRows {
  if (texts.every((text) => text === null)) return rows;
  const pages = rows.pages.map((page, index) => ({
    ...page,
    page_content: texts[index] ?? page.page_content,
  }));
  const chunks = pages.flatMap(({ page_id, page_number, ref_paper_id }, index) => {
    const ofPage = rows.chunks.filter(({ ref_page_id }) => ref_page_id === page_id);
    const text = texts[index] ?? null;
    if (text === null || ref_paper_id === null) return ofPage;
    const page = page_number ?? index + 1;
    return chunksOfText({ text, pageAt: () => page }, null).map((chunk, ordinal) => ({
      chunk_id: pageItemId(ref_paper_id, page, 'chunk', ordinal + 1),
      text_content: chunk.text,
      ordinal,
      ref_paper_id,
      ref_page_id: page_id,
    }));
  });
  const placed = new Set(pages.map(({ page_id }) => page_id));
  const others = rows.chunks.filter(({ ref_page_id }) => !placed.has(ref_page_id));
  return { ...rows, pages, chunks: [...chunks, ...others] };
}
