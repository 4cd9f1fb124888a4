/** What a PDF holds before any interpretation, as PDFium reports it. */

/**
 * `[x, y, width, height]` in PDF points (1/72 inch) from the top left corner of the page as it is shown, so after its crop box
 * and rotation.
 */
export type Box = readonly [number, number, number, number];

/** Characters of one font, size and baseline, without a space or a wide gap between them. */
export interface TextRun {
  readonly text: string;
  /** What its line has instead where it is raised or lowered, e.g. `^5`. */
  readonly inText?: string;
  /** Around the ink of its characters. */
  readonly box: Box;
  /** The y of the baseline. Raised and lowered marks have another one than their line. */
  readonly baseline: number;
  readonly fontSize: number;
  /** The font's name without the prefix of a subset, e.g. `NimbusRomNo9L-Medi`. */
  readonly font: string;
  readonly bold: boolean;
  readonly italic: boolean;
  /** Whether a space stands before it in its line. */
  readonly spaced: boolean;
}

/** Runs on one baseline, with the raised and lowered marks among them. A wide gap, as between two columns, ends a line. */
export interface TextLine {
  /** The texts of the runs, with the spaces between them. A soft hyphen at its end breaks a word. */
  readonly text: string;
  readonly runs: readonly TextRun[];
  readonly box: Box;
  /** The size of most of its characters. */
  readonly fontSize: number;
  /** Whether most of its characters are bold. */
  readonly bold: boolean;
  /** False for turned text, such as the stamp of a preprint server or the label of an axis. */
  readonly upright: boolean;
}

export interface PageContent {
  readonly width: number;
  readonly height: number;
  /** In reading order. */
  readonly lines: readonly TextLine[];
  /** Horizontal and vertical lines, also those drawn as thin rectangles. Their width or height may be 0. */
  readonly rules: readonly Box[];
  /** Other paths: curves, filled areas, frames. */
  readonly drawings: readonly Box[];
  /** Raster pictures. */
  readonly pictures: readonly Box[];
  /** Why the text of the page cannot be used, e.g. because its font maps most glyphs to wrong characters; null if it can. */
  readonly unusable: string | null;
}

/** An outline entry that points to a page. */
export interface OutlineEntry {
  readonly title: string;
  /** From 1. */
  readonly level: number;
  /** From 1. */
  readonly page: number;
  /** The y it points to, from the top of the page; null when it points to the whole page. */
  readonly y: number | null;
}

export interface PdfContent {
  /** The document properties; empty strings when the PDF states none. */
  readonly properties: {
    readonly title: string;
    readonly author: string;
    readonly keywords: string;
  };
  /** In document order, parents before their children. */
  readonly outline: readonly OutlineEntry[];
  readonly pages: readonly PageContent[];
}

/** U+00AD. It ends a line whose last word continues in the next line. */
export const softHyphen = '\u00AD';

/** The smallest box around all of them; `[0, 0, 0, 0]` around none. */
export function unionOf(boxes: readonly Box[]): Box {
  if (boxes.length === 0) return [0, 0, 0, 0];
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const box of boxes) {
    left = Math.min(left, box[0]);
    top = Math.min(top, box[1]);
    right = Math.max(right, rightOf(box));
    bottom = Math.max(bottom, bottomOf(box));
  }
  return [left, top, right - left, bottom - top];
}

/** The white space between two boxes, across or down; negative where they overlap in both directions. */
export const gapBetween = (a: Box, b: Box): number =>
  Math.max(a[0] - rightOf(b), b[0] - rightOf(a), a[1] - bottomOf(b), b[1] - bottomOf(a));

export const roundTo10th = (value: number): number => Math.round(value * 10) / 10;

export const roundedBox = ([x, y, width, height]: Box): Box => [
  roundTo10th(x),
  roundTo10th(y),
  roundTo10th(width),
  roundTo10th(height),
];

/** A box with a margin of so many points around it. */
export const grown = ([x, y, width, height]: Box, by: number): Box => [
  x - by,
  y - by,
  width + 2 * by,
  height + 2 * by,
];

export const rightOf = (box: Box): number => box[0] + box[2];
export const bottomOf = (box: Box): number => box[1] + box[3];

/** The area that two boxes share; 0 if they only touch. */
export function sharedArea(a: Box, b: Box): number {
  const width = Math.min(rightOf(a), rightOf(b)) - Math.max(a[0], b[0]);
  const height = Math.min(bottomOf(a), bottomOf(b)) - Math.max(a[1], b[1]);
  return width > 0 && height > 0 ? width * height : 0;
}

/** Whether the middle of `inner` lies in `outer`. */
export function holdsMiddle(outer: Box, [x, y, width, height]: Box): boolean {
  const [middleX, middleY] = [x + width / 2, y + height / 2];
  return (
    middleX >= outer[0] &&
    middleX <= rightOf(outer) &&
    middleY >= outer[1] &&
    middleY <= bottomOf(outer)
  );
}

/** What the fonts of a page do not say about its glyphs. */
export interface GlyphCounts {
  /** Glyphs without any character. */
  readonly unknown: number;
  /** Glyphs whose character is only their code in the font. With a standard encoding it is right nevertheless. */
  readonly unmapped: number;
}

/**
 * Characters that stand for nothing: for private use, unassigned, control and replacement characters; and dingbats, which a
 * page of text does not consist of, but fonts with glyph names such as `a101` are taken for.
 */
const meaningless = /[\p{Co}\p{Cn}\p{Cc}\uFFFD\u2701-\u27BF]/gu;

/** Fewer may be the symbols of a short page, such as a picture with a label. */
const fewestGlyphs = 20;
const mostMeaningless = 0.3;
/** The same where most glyphs are unmapped, since then the others may be wrong as well. */
const mostMeaninglessUnmapped = 0.1;

/** Why the text of a page cannot be used; null if it can. */
export function whyUnusable(
  lines: readonly TextLine[],
  { unknown, unmapped }: GlyphCounts,
): string | null {
  const texts = lines.flatMap(({ runs }) => runs.map(({ text }) => text)).join('');
  const bad = unknown + (texts.match(meaningless)?.length ?? 0);
  const glyphs = unknown + texts.length;
  if (glyphs < fewestGlyphs) return null;
  const most = unmapped > glyphs / 2 ? mostMeaninglessUnmapped : mostMeaningless;
  return bad > most * glyphs ? 'its fonts map many glyphs to wrong characters or to none' : null;
}
