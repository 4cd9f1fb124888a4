import { chunksOf } from './chunks.js';
import { findFrontMatter } from './front-matter.js';
import { findHeadings } from './headings/find-headings.js';
import { textOf } from './lines.js';
import type { PdfContent, TextLine } from './page-content.js';
import type { Paper } from './paper.js';
import { findRunningHeads } from './running-heads.js';
import { cutAtHeadings, sectionsOf } from './sections.js';
import { joinBrokenWords } from './text.js';

/** Interprets the content of a PDF. The same content always gives the same paper. */
export function extractPaper(extracted: PdfContent): Paper {
  const runningHeads = findRunningHeads(extracted);
  const content = joinBrokenWords(extracted, runningHeads);
  // Lines that are no running text.
  const consumed: ReadonlySet<TextLine> = new Set([...runningHeads]);
  const headings = findHeadings(content, consumed);
  const flow = cutAtHeadings(content, headings, consumed);
  const pages = content.pages.map(({ width, height, lines, unusable }) => ({
    width,
    height,
    text: textOf(lines),
    unusable,
  }));
  return {
    ...findFrontMatter(content, headings),
    pages,
    sections: [...sectionsOf(headings, flow)],
    tables: [],
    figures: [],
    equations: [],
    references: [],
    citations: [],
    footnotes: [],
    chunks: [...chunksOf(flow)],
  };
}
