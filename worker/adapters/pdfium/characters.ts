import { softHyphen } from '../../../domain/extraction/page-content.js';
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

/** Accents that stand for themselves, with the marks that join their letters. */
const marks: Readonly<Record<string, string>> = {
  ...{ '`': '\u0300', '´': '\u0301', ˆ: '\u0302', '^': '\u0302', '˜': '\u0303', '~': '\u0303' },
  ...{ '¯': '\u0304', '˘': '\u0306', '˙': '\u0307', '¨': '\u0308', '˚': '\u030A', '˝': '\u030B' },
  ...{ ˇ: '\u030C', '¸': '\u0327', '˛': '\u0328' },
};
/** Most pages have none of them. The others of `marks` are signs of program code, too. */
const anyAccent = /[´ˆ˜¯˘˙¨˚˝ˇ¸˛`^~]|\p{M}/u;
const anyMark = /^\p{M}$/u;
const accentCodes = new Set(Object.keys(marks).map((accent) => accent.charCodeAt(0)));
/** Every character of a page is asked, and hardly any is one. The first mark that joins a letter is U+0300. */
const mayBeAccent = (code: number): boolean => code >= 0x300 || accentCodes.has(code);
const dotless: Readonly<Record<string, string>> = { ı: 'i', ȷ: 'j' };

/** Of a sign that stands on no letter so often in a row, no other one of the page is looked at: the points of a plot are such. */
const mostMisses = 50;

/** How many characters apart an accent and its letter may be. PDFium puts some accents behind their line. */
const farthest = 300;

/**
 * Texts of the characters of a page that fonts print in two: a letter and the accent on it become one letter, and the accent
 * becomes empty. A letter and its accent have one font and size, and the middle of the accent is over or under the letter, which
 * tells the accents of words from those of formulas.
 */
function joinedAccents(pdfium: Pdfium, textPage: number): ReadonlyMap<number, string> {
  const count = pdfium._FPDFText_CountChars(textPage);
  const joined = new Map<number, string>();
  // An accent looks at hundreds of letters, and those of the next one are mostly the same.
  const letters: (Ink | null)[] = [];
  if (count <= 0 || !anyAccent.test(wholeText(pdfium, textPage, count))) return joined;
  const misses = new Map<string, number>();
  for (let index = 0; index < count; index += 1) {
    if (!mayBeAccent(pdfium._FPDFText_GetUnicode(textPage, index))) continue;
    const accent = charAt(index);
    const mark = marks[accent] ?? (anyMark.test(accent) ? accent : undefined);
    if (mark === undefined) continue;
    const missed = misses.get(accent) ?? 0;
    const letter = missed < mostMisses ? letterAt(index, mark) : undefined;
    misses.set(accent, letter === undefined ? missed + 1 : 0);
    if (letter === undefined) continue;
    const text = joined.get(letter) ?? charAt(letter);
    const composed = ((dotless[text] ?? text) + mark).normalize('NFC');
    if (composed.length > 1) continue;
    joined.set(letter, composed);
    joined.set(index, '');
    if (letter === index + 1) joinToWord(letter);
  }
  return joined;

  function charAt(index: number): string {
    const code = pdfium._FPDFText_GetUnicode(textPage, index);
    return code > 0 && code <= 0xffff ? String.fromCharCode(code) : '';
  }

  /** Drops the spaces in front of a letter whose accent stood there, if the letter begins where the one before ends. */
  function joinToWord(letter: number): void {
    let before = letter - 1;
    while (before >= 0 && (joined.get(before) === '' || charAt(before) === ' ')) before -= 1;
    if (before < 0 || !isOneLetter.test(charAt(before))) return;
    const [one, other] = [boxOf(pdfium, textPage, before), boxOf(pdfium, textPage, letter)];
    const gap = other.left - one.right;
    const height = other.top - other.bottom;
    if (other.left < one.left || gap > narrowestSpace * height) return;
    for (let index = before + 1; index < letter; index += 1) joined.set(index, '');
  }

  /** The ink of a letter; null for other characters. */
  function letterBox(index: number): Ink | null {
    const known = letters[index];
    if (known !== undefined) return known;
    const box = isOneLetter.test(charAt(index)) ? boxOf(pdfium, textPage, index) : null;
    letters[index] = box;
    return box;
  }

  /** The nearest letter that the accent is printed on. */
  function letterAt(accent: number, mark: string): number | undefined {
    const box = boxOf(pdfium, textPage, accent);
    for (let step = 1; step <= farthest; step += 1) {
      for (const index of [accent + step, accent - step]) {
        const letter = index < 0 || index >= count ? null : letterBox(index);
        if (letter !== null && isOn(box, letter, mark) && haveOneFont(accent, index)) return index;
      }
    }
    return undefined;
  }

  function haveOneFont(accent: number, letter: number): boolean {
    const [one = 0, other = 0] = [accent, letter].map((index) =>
      pdfium._FPDFText_GetTextObject(textPage, index),
    );
    return (
      pdfium._FPDFTextObj_GetFont(one) === pdfium._FPDFTextObj_GetFont(other) &&
      pdfium._FPDFText_GetFontSize(textPage, accent) ===
        pdfium._FPDFText_GetFontSize(textPage, letter)
    );
  }
}

const isOneLetter = /^\p{L}$/u;

interface Ink {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
}

/** In points from the lower left corner of the page. */
const boxOf = (pdfium: Pdfium, textPage: number, index: number): Ink =>
  withMemory(pdfium, 32, (at) => {
    pdfium._FPDFText_GetCharBox(textPage, index, at, at + 8, at + 16, at + 24);
    const [left = 0, right = 0, bottom = 0, top = 0] = pdfium.HEAPF64.subarray(at / 8, at / 8 + 4);
    return { left, right, bottom, top };
  });

/** White space between words, as a share of a letter's height. */
const narrowestSpace = 0.3;
const below = new Set(['\u0327', '\u0328']);
/** How far an accent is from the ink of its letter, and how far it may reach into it, as shares of the letter's height. */
const [widestGap, deepest] = [0.6, 0.5];

function isOn(accent: Ink, letter: Ink, mark: string): boolean {
  const middle = (accent.left + accent.right) / 2;
  const height = letter.top - letter.bottom;
  const gap = below.has(mark) ? letter.bottom - accent.top : accent.bottom - letter.top;
  return (
    middle > letter.left &&
    middle < letter.right &&
    gap > -deepest * height &&
    gap < widestGap * height
  );
}

const utf16 = new TextDecoder('utf-16le');

const wholeText = (pdfium: Pdfium, textPage: number, count: number): string =>
  withMemory(pdfium, (count + 1) * 2, (at) => {
    pdfium._FPDFText_GetText(textPage, 0, count, at);
    return utf16.decode(pdfium.HEAPU8.subarray(at, at + count * 2));
  });
