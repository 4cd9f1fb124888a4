import type {
  OutlineEntry,
  PageContent,
  PdfContent,
  TextLine,
  TextRun,
} from '../../../domain/extraction/page-content.js';

/** A line of one run a word. Without `x` and `y`: at x 72, 20 points below the line before. */
export interface PrintedLine {
  readonly text: string;
  readonly x?: number;
  /** Of the baseline. */
  readonly y?: number;
  readonly fontSize?: number;
  readonly font?: string;
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly upright?: boolean;
}
export type LineSpec = string | PrintedLine;

/** Characters are half as wide as the font is high. The ink reaches a tenth of the size below the baseline. */
export function lineOf(spec: LineSpec, below = 72): TextLine {
  const {
    text,
    x = 72,
    y = below + 20,
    fontSize = 10,
    font = 'Serif',
    bold = false,
    italic = false,
    upright = true,
  } = typeof spec === 'string' ? { text: spec } : spec;
  const runs = [...text.matchAll(/\S+/g)].map((word, index): TextRun => ({
    text: word[0],
    box: [
      x + (word.index * fontSize) / 2,
      y - fontSize * 0.9,
      (word[0].length * fontSize) / 2,
      fontSize,
    ],
    baseline: y,
    fontSize,
    font,
    bold,
    italic,
    spaced: index > 0,
  }));
  const box = [x, y - fontSize * 0.9, (text.length * fontSize) / 2, fontSize] as const;
  return { text, runs, box, fontSize, bold, upright };
}

/** A letter page. */
export function pageOf(
  lines: readonly LineSpec[],
  changes: Partial<PageContent> = {},
): PageContent {
  const placed: TextLine[] = [];
  for (const line of lines) {
    const above = placed.at(-1)?.runs.at(-1)?.baseline;
    placed.push(lineOf(line, above));
  }
  return {
    width: 612,
    height: 792,
    lines: placed,
    rules: [],
    drawings: [],
    pictures: [],
    unusable: null,
    ...changes,
  };
}

export const contentOf = (
  pages: readonly (readonly LineSpec[] | PageContent)[],
  changes: Partial<PdfContent> = {},
): PdfContent => ({
  properties: { title: '', author: '', keywords: '' },
  outline: [],
  pages: pages.map((page) => ('lines' in page ? page : pageOf(page))),
  ...changes,
});

export const outlineEntry = (
  title: string,
  page: number,
  changes: Partial<OutlineEntry> = {},
): OutlineEntry => ({ title, page, level: 1, y: null, ...changes });
