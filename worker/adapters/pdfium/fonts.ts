import { readText, withMemory, type Pdfium } from './module.js';

export interface Font {
  /** The name without the prefix of a subset. */
  readonly font: string;
  readonly bold: boolean;
  readonly italic: boolean;
}

const boldWeight = 600;
/** Bits of a font descriptor's flags (PDF 32000-1:2008, table 123). */
const [italicFlag, forceBoldFlag] = [1 << 6, 1 << 18];

/** Reads the fonts of a page's characters, each font once. */
export function fontReader(pdfium: Pdfium, textPage: number): (index: number) => Font {
  const fonts = new Map<number, Font>();
  return (index) => {
    const object = pdfium._FPDFText_GetTextObject(textPage, index);
    const handle = object === 0 ? 0 : pdfium._FPDFTextObj_GetFont(object);
    const known = fonts.get(handle);
    if (known !== undefined) return known;
    const font = handle === 0 ? noFont : readFont(pdfium, handle);
    fonts.set(handle, font);
    return font;
  };
}

/** Of generated spaces. */
const noFont: Font = { font: '', bold: false, italic: false };

function readFont(pdfium: Pdfium, handle: number): Font {
  const name = withMemory(pdfium, 8, () =>
    readText(pdfium, 'utf-8', (buffer, bytes) =>
      pdfium._FPDFFont_GetBaseFontName(handle, buffer, bytes),
    ),
  ).replace(/^[A-Z]{6}\+/, '');
  const flags = pdfium._FPDFFont_GetFlags(handle);
  const has = (flag: number): boolean => flags !== -1 && (flags & flag) !== 0;
  return {
    font: name,
    bold:
      /bold|black|heavy|demi|-medi\b|cmbx|cmssbx/i.test(name) ||
      has(forceBoldFlag) ||
      pdfium._FPDFFont_GetWeight(handle) >= boldWeight,
    italic: /ital|obli|slanted|cmti|cmmi|cmsl/i.test(name) || has(italicFlag),
  };
}
