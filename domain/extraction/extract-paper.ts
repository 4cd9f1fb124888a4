import { findFrontMatter } from './front-matter.js';
import { textOf } from './lines.js';
import type { PdfContent } from './page-content.js';
import type { Chunk, Paper } from './paper.js';
import { findReferences } from './references.js';
import { cutSections, findHeadings } from './sections.js';
import { chunkText, joinBrokenWords } from './text.js';

/** The maximum length of a chunk, in characters, as in the reference system (docs/reference/hybrid-agent.md, "Stores"). */
const chunkLimit = 512;

/** Interprets the content of a PDF. The same content always gives the same paper. */
export function extractPaper(extracted: PdfContent): Paper {
  const content = joinBrokenWords(extracted);
  const headings = findHeadings(content);
  const pages = content.pages.map(({ width, height, lines, unusable }) => ({
    width,
    height,
    text: textOf(lines),
    unusable,
  }));
  return {
    ...findFrontMatter(content).frontMatter,
    pages,
    sections: [...cutSections(content, headings)],
    tables: [],
    figures: [],
    equations: [],
    references: [...findReferences(content).references],
    citations: [],
    footnotes: [],
    chunks: pages.flatMap(({ text }, index) =>
      chunkText(text, chunkLimit).map((chunk): Chunk => ({
        page: index + 1,
        section: null,
        text: chunk,
      })),
    ),
  };
}
