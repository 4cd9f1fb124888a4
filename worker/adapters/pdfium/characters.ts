import { softHyphen } from '../../../domain/extraction/page-content.js';
import { joinedAccents } from './accents.js';
import { withMemory, readText, type Pdfium } from './module.js';
import type { PageFrame } from './page-frame.js';

/** How a text object is printed. */
export interface Print {
  readonly font: Font;
  readonly fontSize: number;
  readonly upright: boolean;
  /** The unit vector of the direction in which it runs, to the right and down. */
  readonly direction: readonly [number, number];
}

/** A character with ink. Boxes are around its ink. */
export interface Glyph {
  text: string;
  /** Whether the font says which character it is. */
  isMapped: boolean;
  left: number;
  top: number;
  right: number;
  bottom: number;
  originX: number;
  originY: number;
  print: Print;
}

export interface CharacterReader {
  /** Called with one object that holds another character at every call. */
  readonly glyph: (glyph: Readonly<Glyph>) => void;
  readonly space: () => void;
  readonly lineBreak: () => void;
  /** A character with ink that the font does not map to text. */
  readonly unknown: () => void;
}

/** PDFium reports a hyphen that breaks a word at a line's end as this control character. */
const brokenWord = 2;
const [tab, lineFeed, carriageReturn, noBreakSpace] = [9, 10, 13, 0xa0];

/** Reads the characters of a page's text layer in its order. It makes no object for a character, since a page has thousands. */
export function readCharacters(
  pdfium: Pdfium,
  textPage: number,
  frame: PageFrame,
  reader: CharacterReader,
): void {
  // Doubles: left, right, bottom, top, then the origin's x and y.
  withMemory(pdfium, 48, (scratch) => {
    const printOf = printReader(pdfium, textPage, frame);
    const glyph = {
      text: '',
      isMapped: true,
      ...{ left: 0, top: 0, right: 0, bottom: 0, originX: 0, originY: 0 },
      print: noPrint,
    };
    let object = 0;
    const count = pdfium._FPDFText_CountChars(textPage);
    const joined = joinedAccents(pdfium, textPage);
    for (let index = 0; index < count; index += 1) {
      const accented = joined.size === 0 ? undefined : joined.get(index);
      if (accented === '') continue;
      const code = pdfium._FPDFText_GetUnicode(textPage, index);
      if (isSpace(code)) {
        reader.space();
        continue;
      }
      glyph.text = accented ?? (characterOf(code) || ligatureAt(index, code));
      if (glyph.text === '') {
        if (code === lineFeed || code === carriageReturn) reader.lineBreak();
        else reader.unknown();
        continue;
      }
      const drawnBy = pdfium._FPDFText_GetTextObject(textPage, index);
      if (drawnBy !== object) {
        object = drawnBy;
        glyph.print = printOf(index, object, scratch);
      }
      glyph.isMapped = pdfium._FPDFText_HasUnicodeMapError(textPage, index) !== 1;
      pdfium._FPDFText_GetCharBox(
        textPage,
        index,
        scratch,
        scratch + 8,
        scratch + 16,
        scratch + 24,
      );
      pdfium._FPDFText_GetCharOrigin(textPage, index, scratch + 32, scratch + 40);
      place(glyph, frame, pdfium.HEAPF64, scratch / 8);
      if (isOnPage(glyph, frame)) reader.glyph(glyph);
      if (code === brokenWord) reader.lineBreak();
    }
  });

  /** The ligature that an unmapped control code stands for: it is beside a letter that the same text object draws. */
  function ligatureAt(index: number, code: number): string {
    const ligature = ligatures[code] ?? '';
    if (ligature === '' || pdfium._FPDFText_HasUnicodeMapError(textPage, index) !== 1) return '';
    const object = pdfium._FPDFText_GetTextObject(textPage, index);
    const isInWord = [index - 1, index + 1].some(
      (beside) =>
        isLetter(pdfium._FPDFText_GetUnicode(textPage, beside)) &&
        pdfium._FPDFText_GetTextObject(textPage, beside) === object,
    );
    return isInWord ? ligature : '';
  }
}

/** The codes of TeX's font encodings OT1 and T1, which fonts of bitmaps have instead of characters. */
const ligatures: Readonly<Record<number, string>> = {
  ...{ 11: 'ff', 12: 'fi', 13: 'fl', 14: 'ffi', 15: 'ffl' },
  ...{ 27: 'ff', 28: 'fi', 29: 'fl', 30: 'ffi', 31: 'ffl' },
};

const isLetter = (code: number): boolean => /[a-zA-Z]/.test(String.fromCharCode(code));

function place(glyph: Glyph, frame: PageFrame, memory: Float64Array, at: number): void {
  const [x1, x2] = [memory[at] ?? 0, memory[at + 1] ?? 0];
  const [y1, y2] = [memory[at + 2] ?? 0, memory[at + 3] ?? 0];
  const [originX, originY] = [memory[at + 4] ?? 0, memory[at + 5] ?? 0];
  const [ax, bx] = [frame.x(x1, y1), frame.x(x2, y2)];
  const [ay, by] = [frame.y(x1, y1), frame.y(x2, y2)];
  glyph.left = Math.min(ax, bx);
  glyph.right = Math.max(ax, bx);
  glyph.top = Math.min(ay, by);
  glyph.bottom = Math.max(ay, by);
  glyph.originX = frame.x(originX, originY);
  glyph.originY = frame.y(originX, originY);
}

/** Whether its middle is in the crop box: the rest of a sheet is no part of the page. */
function isOnPage({ left, right, top, bottom }: Glyph, { width, height }: PageFrame): boolean {
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  return x >= 0 && x <= width && y >= 0 && y <= height;
}

/** Text that climbs less than this share of its length counts as level. */
const mostRise = 0.1;
const noFont: Font = { name: '', bold: false, italic: false };
const noPrint: Print = { font: noFont, fontSize: 0, upright: true, direction: [1, 0] };

function printReader(
  pdfium: Pdfium,
  textPage: number,
  frame: PageFrame,
): (index: number, object: number, scratch: number) => Print {
  const fontOf = fontReader(pdfium);
  return (index, object, scratch) => {
    // The first four of the six floats of FS_MATRIX.
    pdfium._FPDFText_GetMatrix(textPage, index, scratch);
    const [memory, at] = [pdfium.HEAPF32, scratch / 4];
    const [a, b, c, d] = [memory[at], memory[at + 1], memory[at + 2], memory[at + 3]];
    const [dx, dy] = frame.direction(a ?? 1, b ?? 0);
    const length = Math.hypot(dx, dy) || 1;
    return {
      font: fontOf(object),
      fontSize: pdfium._FPDFText_GetFontSize(textPage, index) * Math.hypot(c ?? 0, d ?? 1),
      upright: Math.abs(dy) < mostRise * length,
      direction: [dx / length, dy / length],
    };
  };
}

const isSpace = (code: number): boolean =>
  code === 32 ||
  code === tab ||
  code === noBreakSpace ||
  (code > 0x1000 && /\s/u.test(String.fromCharCode(code)));

function characterOf(code: number): string {
  if (code === brokenWord) return softHyphen;
  // Control characters, and what PDFium reports for a glyph without a character.
  if (code < 32 || code === 0xfffe || code === 0xffff || code > 0x10ffff) return '';
  return String.fromCodePoint(code);
}

interface Font {
  /** Without the prefix of a subset. */
  readonly name: string;
  readonly bold: boolean;
  readonly italic: boolean;
}

const boldWeight = 600;
const boldName = /bold|black|heavy|demi|-medi\b|cmbx|cmssbx/i;
/** PDFium takes the weight from the width of the stems, which some programs state wrongly. */
const regularName = /regular|roman|book|light|^cmr/i;
/** Bits of a font descriptor's flags (PDF 32000-1:2008, table 123). */
const [italicFlag, forceBoldFlag] = [1 << 6, 1 << 18];

/** Reads the fonts of a page's text objects, each font once. */
function fontReader(pdfium: Pdfium): (textObject: number) => Font {
  const fonts = new Map<number, Font>();
  return (textObject) => {
    const handle = pdfium._FPDFTextObj_GetFont(textObject);
    const known = fonts.get(handle);
    if (known !== undefined) return known;
    const font = handle === 0 ? noFont : readFont(pdfium, handle);
    fonts.set(handle, font);
    return font;
  };
}

function readFont(pdfium: Pdfium, handle: number): Font {
  const name = readText(pdfium, 'utf-8', (buffer, bytes) =>
    pdfium._FPDFFont_GetBaseFontName(handle, buffer, bytes),
  ).replace(/^[A-Z]{6}\+/, '');
  const flags = pdfium._FPDFFont_GetFlags(handle);
  const has = (flag: number): boolean => flags !== -1 && (flags & flag) !== 0;
  return {
    name,
    bold:
      boldName.test(name) ||
      has(forceBoldFlag) ||
      (!regularName.test(name) && pdfium._FPDFFont_GetWeight(handle) >= boldWeight),
    italic: /ital|obli|slanted|cmti|cmmi|cmsl/i.test(name) || has(italicFlag),
  };
}
