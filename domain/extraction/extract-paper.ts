import { bodyPrint, textOf } from './lines.js';
import { findCaptions } from './captions.js';
import { chunksOf, cutAtHeadings, sectionsOf } from './chunks.js';
import { findCitations } from './citations/find-citations.js';
import { findEquations } from './equations/find-equations.js';
import { findFigures } from './figures/find-figures.js';
import { findFootnotes } from './footnotes.js';
import { findFrontMatter } from './front-matter.js';
import { findHeadings } from './headings/find-headings.js';
import { withInitials } from './initials.js';
import { withoutLineNumbers, findRunningHeads, withoutWatermarks } from './furniture.js';
import type { PdfContent, TextLine } from './page-content.js';
import type { Paper } from './paper.js';
import { findReferences } from './references.js';
import { withScripts } from './scripts.js';
import { findTables } from './tables/find-tables.js';
import { joinBrokenWords } from './text.js';

/** Interprets the content of a PDF. The same content always gives the same paper. */
export function extractPaper(extracted: PdfContent): Paper {
  const readable = withoutLineNumbers(
    withScripts(withInitials(withoutWatermarks(withoutUnusableText(extracted)))),
  );
  const runningHeads = findRunningHeads(readable);
  const content = joinBrokenWords(readable, runningHeads);
  const frontMatter = findFrontMatter(content);
  const body = bodyPrint(content);
  const captions = findCaptions(content, body);
  const tables = findTables(content, body, captions, runningHeads);
  const figures = findFigures(
    content,
    body,
    captions,
    tables.map(({ table }) => table),
  );
  const footnotes = findFootnotes(content, body);
  // Lines that are no running text.
  const consumed: ReadonlySet<TextLine> = new Set([
    ...runningHeads,
    ...tables.flatMap(({ lines }) => lines),
    ...figures.flatMap(({ lines }) => lines),
    ...footnotes.flatMap(({ lines }) => lines),
  ]);
  const { references, lines: listed } = findReferences(content, consumed);
  // Names and addresses, and the entries of the list, stay in the text, but none is a heading.
  const notHeadings = new Set([...consumed, ...frontMatter.lines, ...listed]);
  const headings = findHeadings(content, body, notHeadings);
  const flow = cutAtHeadings(content, headings, consumed);
  const equations = findEquations(content, body, consumed);
  return {
    ...frontMatter.frontMatter,
    pages: content.pages.map(({ width, height, lines, unusable }) => ({
      width,
      height,
      text: textOf(lines),
      unusable,
    })),
    sections: [...sectionsOf(headings, flow)],
    tables: tables.map(({ table }) => table),
    figures: figures.map(({ figure }) => figure),
    equations: [...equations],
    references: [...references],
    citations: [
      ...findCitations(
        content,
        references,
        [...frontMatter.lines, ...listed],
        new Set(equations.map(({ number }) => number)),
      ),
    ],
    footnotes: footnotes.map(({ footnote }) => footnote),
    chunks: [...chunksOf(flow)],
  };
}

/** Wrong characters would be found by no search, and stand in answers. */
const withoutUnusableText = (content: PdfContent): PdfContent => ({
  ...content,
  pages: content.pages.map((page) => (page.unusable === null ? page : { ...page, lines: [] })),
});
