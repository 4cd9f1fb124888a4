import type { Heading } from './paper-headings.js';
import type { PdfDocument } from './pdf-document.js';

export interface Section {
  readonly title: string;
  /** From behind the heading to the next one. */
  readonly text: string;
  /** From 1; the pages that hold the heading or any of the text. */
  readonly pages: readonly number[];
}

/**
 * Cuts a document at its headings, each line into at most one section: a section that begins and ends on one
 * page holds just the lines between the two headings.
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
