import type { Heading } from './headings/heading.js';
import { textOf } from './lines.js';
import type { PdfContent, TextLine } from './page-content.js';
import type { Section } from './paper.js';

/** A line of the text of a section, or of what stands before the first one. */
export interface FlowLine {
  /** From 1. */
  readonly page: number;
  readonly line: TextLine;
}

/** The running text of a paper, cut at its headings. Each line belongs to at most one section. */
export interface Flow {
  readonly beforeSections: readonly FlowLine[];
  /** As many as there are headings. */
  readonly ofSections: readonly (readonly FlowLine[])[];
}

/**
 * @param headings - in reading order
 * @param consumed - lines that are no running text
 */
export function cutAtHeadings(
  { pages }: PdfContent,
  headings: readonly Heading[],
  consumed: ReadonlySet<TextLine>,
): Flow {
  const between = (from: Place, to: Place): readonly FlowLine[] =>
    pages.slice(from.page, to.page + 1).flatMap(({ lines }, offset) => {
      const page = from.page + offset;
      const start = page === from.page ? from.line : 0;
      const end = page === to.page ? to.line : lines.length;
      return lines
        .slice(start, Math.max(start, end))
        .flatMap((line) => (consumed.has(line) ? [] : [{ page: page + 1, line }]));
    });
  const end: Place = { page: pages.length - 1, line: pages.at(-1)?.lines.length ?? 0 };
  return {
    beforeSections: between({ page: 0, line: 0 }, headings[0] ?? end),
    ofSections: headings.map(({ page, line, lineCount, rest }, index) => {
      const lastLine = pages[page]?.lines[line + lineCount - 1];
      return [
        ...(rest === '' || lastLine === undefined
          ? []
          : [{ page: page + 1, line: { ...lastLine, text: rest } }]),
        ...between({ page, line: line + lineCount }, headings[index + 1] ?? end),
      ];
    }),
  };
}

interface Place {
  readonly page: number;
  readonly line: number;
}

/** @param flow - cut at the same headings */
export function sectionsOf(headings: readonly Heading[], { ofSections }: Flow): readonly Section[] {
  return headings.map(({ title, number, level, page }, index) => {
    const lines = ofSections[index] ?? [];
    return {
      title,
      number,
      level,
      parent: parentOf(headings, index),
      text: textOf(lines.map(({ line }) => line)),
      pages: [...new Set([page + 1, ...lines.map((line) => line.page)])],
    };
  });
}

/** The index of the nearest heading before it of a higher level. */
export function parentOf(
  headings: readonly { readonly level: number }[],
  index: number,
): number | null {
  const level = headings[index]?.level ?? 1;
  const parent = headings.slice(0, index).findLastIndex((before) => before.level < level);
  return parent === -1 ? null : parent;
}
