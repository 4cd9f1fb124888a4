import { withMemory, type Pdfium } from './module.js';

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
export function joinedAccents(pdfium: Pdfium, textPage: number): ReadonlyMap<number, string> {
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
    if (before < 0 || !isLetter.test(charAt(before))) return;
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
    const box = isLetter.test(charAt(index)) ? boxOf(pdfium, textPage, index) : null;
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

const isLetter = /^\p{L}$/u;

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
