import { softHyphen, type PdfLine } from '../../../domain/stores/pdf-document.js';
import { readText, withMemory, type Pdfium } from './module.js';

interface Glyph {
  readonly text: string;
  readonly fontSize: number;
  readonly bold: boolean;
  readonly upright: boolean;
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
}

/** PDFium reports a hyphen that breaks a word at a line's end as this control character. */
const brokenWord = 2;
const carriageReturn = 13;
const lineFeed = 10;
const boldWeight = 600;

/** The lines of a loaded page, in the order of its text. A superscript or formula belongs to its line. */
export function readLines(pdfium: Pdfium, page: number): readonly PdfLine[] {
  const textPage = pdfium._FPDFText_LoadPage(page);
  if (textPage === 0) return [];
  try {
    return withMemory(pdfium, 64, (scratch) => {
      const runs: Glyph[][] = [[]];
      const count = pdfium._FPDFText_CountChars(textPage);
      for (let index = 0; index < count; index += 1) {
        const code = pdfium._FPDFText_GetUnicode(textPage, index);
        if (code === lineFeed || code === carriageReturn) {
          runs.push([]);
        } else {
          runs.at(-1)?.push(readGlyph(pdfium, textPage, index, code, scratch));
          if (code === brokenWord) runs.push([]);
        }
      }
      return joinFragments(runs).flatMap(lineOf);
    });
  } finally {
    pdfium._FPDFText_ClosePage(textPage);
  }
}

function readGlyph(
  pdfium: Pdfium,
  textPage: number,
  index: number,
  code: number,
  scratch: number,
): Glyph {
  pdfium._FPDFText_GetCharBox(textPage, index, scratch, scratch + 8, scratch + 16, scratch + 24);
  const [left = 0, right = 0, bottom = 0, top = 0] = pdfium.HEAPF64.slice(
    scratch / 8,
    scratch / 8 + 4,
  );
  pdfium._FPDFText_GetMatrix(textPage, index, scratch + 32);
  const [, , c = 0, d = 1] = pdfium.HEAPF32.slice((scratch + 32) / 4, (scratch + 32) / 4 + 4);
  const angle = pdfium._FPDFText_GetCharAngle(textPage, index);
  return {
    text: characterOf(code),
    fontSize: pdfium._FPDFText_GetFontSize(textPage, index) * Math.hypot(c, d),
    bold: isBold(pdfium, textPage, index),
    upright: Math.abs(Math.sin(angle)) < 0.1,
    left,
    right,
    bottom,
    top,
  };
}

function characterOf(code: number): string {
  if (code === brokenWord) return softHyphen;
  if (code === 9 || code === 0xa0) return ' ';
  // Glyphs without a Unicode character, and control characters.
  if (code < 32 || code === 0xfffe || code === 0xffff || code > 0x10ffff) return '';
  return String.fromCodePoint(code);
}

function isBold(pdfium: Pdfium, textPage: number, index: number): boolean {
  if (pdfium._FPDFText_GetFontWeight(textPage, index) >= boldWeight) return true;
  const font = withMemory(pdfium, 4, (flags) =>
    readText(pdfium, 'utf-8', (buffer, bytes) =>
      pdfium._FPDFText_GetFontInfo(textPage, index, buffer, bytes, flags),
    ),
  );
  return /bold|black|heavy/i.test(font);
}

/** Joins the fragments of a line, since PDFium begins a new fragment at every change of baseline. */
function joinFragments(runs: readonly (readonly Glyph[])[]): readonly (readonly Glyph[])[] {
  const lines: (readonly Glyph[])[] = [];
  for (const run of runs.filter((glyphs) => glyphs.length > 0)) {
    const before = lines.at(-1);
    if (before !== undefined && goesOn(before, run)) lines.splice(-1, 1, [...before, ...run]);
    else lines.push(run);
  }
  return lines;
}

function goesOn(before: readonly Glyph[], after: readonly Glyph[]): boolean {
  const last = printed(before).at(-1);
  const first = printed(after).at(0);
  if (last === undefined || first === undefined || last.text === softHyphen) return false;
  const size = Math.max(last.fontSize, first.fontSize);
  const gap = first.left - last.right;
  const overlap = Math.min(last.top, first.top) - Math.max(last.bottom, first.bottom);
  const near = Math.abs(last.bottom - first.bottom) < size * 0.8 || overlap > 0;
  return last.upright && first.upright && near && gap > -size * 0.2 && gap < size * 0.5;
}

function lineOf(glyphs: readonly Glyph[]): readonly PdfLine[] {
  const text = glyphs
    .map((glyph) => glyph.text)
    .join('')
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replace(/\s+/g, ' ')
    .trim();
  const ink = printed(glyphs);
  if (text === '' || ink.length === 0) return [];
  return [
    {
      text,
      fontSize: mostCommon(ink.map(({ fontSize }) => Math.round(fontSize * 10) / 10)),
      bold: mostCommon(ink.map(({ bold }) => bold)),
      top: Math.round(Math.max(...ink.map(({ top }) => top)) * 10) / 10,
      upright: mostCommon(ink.map(({ upright }) => upright)),
    },
  ];
}

const printed = (glyphs: readonly Glyph[]): readonly Glyph[] =>
  glyphs.filter(({ text }) => text.trim() !== '');

/** @param values - not empty */
function mostCommon<T>(values: readonly [T, ...T[]] | readonly T[]): T {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [[winner]] = [...counts].sort(([, a], [, b]) => b - a) as [[T, number]]; // not empty
  return winner;
}
