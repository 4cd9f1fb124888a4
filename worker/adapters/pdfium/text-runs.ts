import {
  roundedBox,
  roundTo10th,
  type TextRun,
  type GlyphCounts,
} from '../../../domain/extraction/page-content.js';
import type { Strip } from '../../../domain/extraction/lines.js';
import { readCharacters, type CharacterReader, type Glyph, type Print } from './characters.js';
import type { Pdfium } from './module.js';
import type { PageFrame } from './page-frame.js';

interface PageText extends GlyphCounts {
  /** In the order of the text layer. */
  readonly strips: readonly Strip[];
}

/** The text of a loaded page. A run ends where the font, the size or the baseline changes, at a space and at a wide gap. */
export function readRuns(pdfium: Pdfium, page: number, frame: PageFrame): PageText {
  const textPage = pdfium._FPDFText_LoadPage(page);
  if (textPage === 0) return { strips: [], unknown: 0, unmapped: 0 };
  const writer = stripWriter();
  try {
    readCharacters(pdfium, textPage, frame, writer);
  } finally {
    pdfium._FPDFText_ClosePage(textPage);
  }
  return writer.written();
}

function stripWriter(): CharacterReader & { readonly written: () => PageText } {
  const strips: Strip[] = [];
  let runs: TextRun[] = [];
  let open: OpenRun | null = null;
  let spaced = false;
  let [unknown, unmapped] = [0, 0];

  const endRun = (): void => {
    if (open !== null) runs.push(closed(open));
    open = null;
  };
  const endStrip = (): void => {
    const upright = open?.print.upright ?? true;
    endRun();
    if (runs.length > 0) strips.push({ upright, runs });
    [runs, spaced] = [[], false];
  };
  return {
    lineBreak: endStrip,
    space: () => {
      spaced = true;
    },
    unknown: () => {
      unknown += 1;
    },
    glyph: (glyph) => {
      if (!glyph.isMapped) unmapped += 1;
      if (open !== null && open.print.upright !== glyph.print.upright) endStrip();
      if (open !== null && !spaced && goesOn(open, glyph)) {
        grow(open, glyph);
      } else {
        endRun();
        open = opened(glyph, spaced && runs.length > 0);
      }
      spaced = false;
    },
    written: () => {
      endStrip();
      return { strips, unknown, unmapped };
    },
  };
}

interface OpenRun {
  text: string;
  left: number;
  top: number;
  right: number;
  bottom: number;
  readonly baseline: number;
  /** How far its baseline is from the page's corner, across its direction. */
  readonly offset: number;
  readonly print: Print;
  readonly spaced: boolean;
}

const opened = (glyph: Readonly<Glyph>, spaced: boolean): OpenRun => ({
  text: glyph.text,
  left: glyph.left,
  top: glyph.top,
  right: glyph.right,
  bottom: glyph.bottom,
  baseline: glyph.originY,
  offset: offsetOf(glyph),
  print: glyph.print,
  spaced,
});

function goesOn(run: OpenRun, glyph: Readonly<Glyph>): boolean {
  const { font, fontSize } = run.print;
  return (
    font.name === glyph.print.font.name &&
    Math.abs(fontSize - glyph.print.fontSize) < 0.1 &&
    Math.abs(run.offset - offsetOf(glyph)) < 0.5 &&
    Math.max(glyph.left - run.right, run.left - glyph.right) < fontSize &&
    Math.max(glyph.top - run.bottom, run.top - glyph.bottom) < fontSize
  );
}

const offsetOf = ({ originX, originY, print: { direction } }: Readonly<Glyph>): number =>
  direction[0] * originY - direction[1] * originX;

function grow(run: OpenRun, glyph: Readonly<Glyph>): void {
  run.text += glyph.text;
  run.left = Math.min(run.left, glyph.left);
  run.top = Math.min(run.top, glyph.top);
  run.right = Math.max(run.right, glyph.right);
  run.bottom = Math.max(run.bottom, glyph.bottom);
}

function closed({ left, top, right, bottom, print, ...run }: OpenRun): TextRun {
  return {
    // A high or low surrogate without its other half would be an invalid text.
    text: run.text.toWellFormed(),
    box: roundedBox([left, top, right - left, bottom - top]),
    baseline: roundTo10th(run.baseline),
    fontSize: roundTo10th(print.fontSize),
    font: print.font.name,
    bold: print.font.bold,
    italic: print.font.italic,
    spaced: run.spaced,
  };
}
