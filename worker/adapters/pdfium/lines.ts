import { unionOf } from '../../../domain/extraction/boxes.js';
import {
  softHyphen,
  type TextLine,
  type TextRun,
} from '../../../domain/extraction/page-content.js';
import { fontReader, type Font } from './fonts.js';
import { withMemory, type Pdfium } from './module.js';
import type { PageFrame } from './page-frame.js';

/** A character with ink, or a space. */
interface Glyph extends Font {
  readonly text: string;
  readonly fontSize: number;
  readonly upright: boolean;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly baseline: number;
}

/** PDFium reports a hyphen that breaks a word at a line's end as this control character. */
const brokenWord = 2;
const carriageReturn = 13;
const lineFeed = 10;

/** The lines of a loaded page, in the order of its text. A raised mark or a formula belongs to its line. */
export function readLines(pdfium: Pdfium, page: number, frame: PageFrame): readonly TextLine[] {
  const textPage = pdfium._FPDFText_LoadPage(page);
  if (textPage === 0) return [];
  try {
    return withMemory(pdfium, 80, (scratch) => {
      const fontOf = fontReader(pdfium, textPage);
      const pieces: Glyph[][] = [[]];
      const count = pdfium._FPDFText_CountChars(textPage);
      for (let index = 0; index < count; index += 1) {
        const code = pdfium._FPDFText_GetUnicode(textPage, index);
        if (code === lineFeed || code === carriageReturn) {
          pieces.push([]);
        } else {
          const glyph = readGlyph(pdfium, textPage, index, frame, scratch);
          pieces.at(-1)?.push({ ...fontOf(index), ...glyph, text: characterOf(code) });
          if (code === brokenWord) pieces.push([]);
        }
      }
      return joinPieces(pieces).flatMap(lineOf);
    });
  } finally {
    pdfium._FPDFText_ClosePage(textPage);
  }
}

function readGlyph(
  pdfium: Pdfium,
  textPage: number,
  index: number,
  frame: PageFrame,
  scratch: number,
): Omit<Glyph, 'text' | keyof Font> {
  // Doubles: left, right, bottom, top, then the origin's x and y. Floats: the six of FS_MATRIX.
  pdfium._FPDFText_GetCharBox(textPage, index, scratch, scratch + 8, scratch + 16, scratch + 24);
  pdfium._FPDFText_GetCharOrigin(textPage, index, scratch + 32, scratch + 40);
  pdfium._FPDFText_GetMatrix(textPage, index, scratch + 48);
  const doubles = pdfium.HEAPF64.subarray(scratch / 8, scratch / 8 + 6);
  const [x1 = 0, x2 = 0, y1 = 0, y2 = 0, originX = 0, originY = 0] = doubles;
  const [a = 1, b = 0, c = 0, d = 1] = pdfium.HEAPF32.subarray(
    (scratch + 48) / 4,
    (scratch + 48) / 4 + 4,
  );
  const [left, top, width, height] = frame.box(x1, y1, x2, y2);
  return {
    fontSize: pdfium._FPDFText_GetFontSize(textPage, index) * Math.hypot(c, d),
    upright: frame.isLevel(a, b),
    left,
    right: left + width,
    top,
    bottom: top + height,
    baseline: frame.point(originX, originY)[1],
  };
}

function characterOf(code: number): string {
  if (code === brokenWord) return softHyphen;
  if (code === 9 || code === 0xa0) return ' ';
  // Glyphs without a Unicode character, and control characters.
  if (code < 32 || code === 0xfffe || code === 0xffff || code > 0x10ffff) return '';
  return String.fromCodePoint(code);
}

/** Joins the pieces of a line, since PDFium begins a new piece at every change of baseline. */
function joinPieces(pieces: readonly (readonly Glyph[])[]): readonly (readonly Glyph[])[] {
  const lines: Glyph[][] = [];
  for (const piece of pieces.filter((glyphs) => glyphs.length > 0)) {
    const before = lines.at(-1);
    if (before !== undefined && goesOn(before, piece)) before.push(...piece);
    else lines.push([...piece]);
  }
  return lines;
}

function goesOn(before: readonly Glyph[], after: readonly Glyph[]): boolean {
  const last = before.findLast(isInk);
  const first = after.find(isInk);
  if (last === undefined || first === undefined || last.text === softHyphen) return false;
  const size = Math.max(last.fontSize, first.fontSize);
  const gap = first.left - last.right;
  const overlap = Math.min(last.bottom, first.bottom) - Math.max(last.top, first.top);
  const near = Math.abs(last.bottom - first.bottom) < size * 0.8 || overlap > 0;
  return last.upright && first.upright && near && gap > -size * 0.2 && gap < size * 0.5;
}

function lineOf(glyphs: readonly Glyph[]): readonly TextLine[] {
  const runs = runsOf(glyphs);
  const text = cleaned(runs.map((run) => (run.spaced ? ` ${run.text}` : run.text)).join('')).trim();
  if (text === '') return [];
  const ink = glyphs.filter(isInk);
  return [
    {
      text,
      runs,
      box: unionOf(runs.map(({ box }) => box)),
      fontSize: mostCommon(ink.map(({ fontSize }) => roundTo10th(fontSize))),
      bold: mostCommon(ink.map(({ bold }) => bold)),
      upright: mostCommon(ink.map(({ upright }) => upright)),
    },
  ];
}

/** A run ends where the font, the size or the baseline changes, at a space and at a wide gap. */
function runsOf(glyphs: readonly Glyph[]): readonly TextRun[] {
  const runs: { glyphs: Glyph[]; spaced: boolean }[] = [];
  let spaced = false;
  for (const glyph of glyphs) {
    if (!isInk(glyph)) {
      spaced ||= glyph.text !== '';
      continue;
    }
    const run = runs.at(-1);
    const last = run?.glyphs.at(-1);
    if (run !== undefined && last !== undefined && !spaced && isAlike(last, glyph)) {
      run.glyphs.push(glyph);
    } else {
      runs.push({ glyphs: [glyph], spaced: spaced && runs.length > 0 });
    }
    spaced = false;
  }
  return runs.map(({ glyphs: [first, ...rest], spaced: after }) => {
    if (first === undefined) throw new Error('A run has a glyph.');
    const all = [first, ...rest];
    const left = Math.min(...all.map((glyph) => glyph.left));
    const top = Math.min(...all.map((glyph) => glyph.top));
    return {
      text: cleaned(all.map((glyph) => glyph.text).join('')),
      box: [
        roundTo10th(left),
        roundTo10th(top),
        roundTo10th(Math.max(...all.map((glyph) => glyph.right)) - left),
        roundTo10th(Math.max(...all.map((glyph) => glyph.bottom)) - top),
      ],
      baseline: roundTo10th(first.baseline),
      fontSize: roundTo10th(first.fontSize),
      font: first.font,
      bold: first.bold,
      italic: first.italic,
      spaced: after,
    };
  });
}

const isAlike = (last: Glyph, next: Glyph): boolean =>
  last.font === next.font &&
  Math.abs(last.fontSize - next.fontSize) < 0.1 &&
  Math.abs(last.baseline - next.baseline) < 0.5 &&
  next.left - last.right < last.fontSize;

const isInk = ({ text }: Glyph): boolean => text.trim() !== '';

/** A high or low surrogate without its other half would be an invalid text. */
const cleaned = (text: string): string =>
  text.replace(/\p{Surrogate}/gu, '\uFFFD').replace(/\s+/g, ' ');

const roundTo10th = (value: number): number => Math.round(value * 10) / 10;

/** @param values - not empty */
function mostCommon<T>(values: readonly T[]): T {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [[winner]] = [...counts].sort(([, a], [, b]) => b - a) as [[T, number]]; // not empty
  return winner;
}
