import { findCaptions } from './captions.js';
import { findEquations } from './equations/find-equations.js';
import { findFigures } from './figures/find-figures.js';
import { findFootnotes } from './footnotes.js';
import { findFrontMatter } from './front-matter.js';
import { textOf } from './lines.js';
import type { PdfContent, TextLine } from './page-content.js';
import type { Chunk, Paper } from './paper.js';
import { cutSections, findHeadings } from './sections.js';
import { chunkText, joinBrokenWords } from './text.js';

/** The maximum length of a chunk, in characters, as in the reference system (docs/reference/hybrid-agent.md, "Stores"). */
const chunkLimit = 512;

/** Interprets the content of a PDF. The same content always gives the same paper. */
export function extractPaper(extracted: PdfContent): Paper {
  const whole = joinBrokenWords(extracted);
  const captions = findCaptions(whole);
  const figures = findFigures(whole, captions, []);
  const footnotes = findFootnotes(whole);
  const content = withoutLines(
    whole,
    [...figures, ...footnotes].flatMap(({ lines }) => lines),
  );
  const headings = findHeadings(content);
  const pages = whole.pages.map(({ width, height, lines, unusable }) => ({
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
    figures: figures.map(({ figure }) => figure),
    equations: [...findEquations(content)],
    references: [],
    citations: [],
    footnotes: footnotes.map(({ footnote }) => footnote),
    chunks: content.pages.flatMap(({ lines }, index) =>
      chunkText(textOf(lines), chunkLimit).map((chunk): Chunk => ({
        page: index + 1,
        section: null,
        text: chunk,
      })),
    ),
  };
}

/** What is left for sections and chunks when captions and labels have their own place. */
function withoutLines(content: PdfContent, lines: readonly TextLine[]): PdfContent {
  const left = new Set(lines);
  return {
    ...content,
    pages: content.pages.map((page) => ({
      ...page,
      lines: page.lines.filter((line) => !left.has(line)),
    })),
  };
}
