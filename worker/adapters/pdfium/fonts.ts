import { readText, type Pdfium } from './module.js';

export interface Font {
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
export function fontReader(pdfium: Pdfium): (textObject: number) => Font {
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

export const noFont: Font = { name: '', bold: false, italic: false };

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
