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
