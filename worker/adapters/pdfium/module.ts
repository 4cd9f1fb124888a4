import { PDFiumModule } from '@hyzyla/pdfium';

type Loaded = Awaited<ReturnType<typeof PDFiumModule>>;
type Call = (...args: readonly number[]) => number;

/** Functions of PDFium's C interface (fpdfview.h, fpdf_doc.h, fpdf_text.h, fpdf_edit.h) that the package exports but does not type. */
const untyped = [
  '_PDFium_Init',
  '_FPDF_DocumentHasValidCrossReferenceTable',
  '_FPDF_GetMetaText',
  '_FPDFBookmark_GetFirstChild',
  '_FPDFBookmark_GetNextSibling',
  '_FPDFBookmark_GetTitle',
  '_FPDFBookmark_GetDest',
  '_FPDFBookmark_GetAction',
  '_FPDFAction_GetDest',
  '_FPDFDest_GetDestPageIndex',
  '_FPDFDest_GetLocationInPage',
  '_FPDFText_GetUnicode',
  '_FPDFText_GetFontSize',
  '_FPDFText_GetTextObject',
  '_FPDFText_GetCharBox',
  '_FPDFText_GetCharOrigin',
  '_FPDFText_GetMatrix',
  '_FPDFTextObj_GetFont',
  '_FPDFFont_GetBaseFontName',
  '_FPDFFont_GetFlags',
  '_FPDFFont_GetWeight',
  '_FPDF_GetPageBoundingBox',
  '_FPDFPage_GetRotation',
  '_FPDFPage_CountObjects',
  '_FPDFPage_GetObject',
  '_FPDFPageObj_GetType',
  '_FPDFPageObj_GetBounds',
  '_FPDFPageObj_GetMatrix',
  '_FPDFFormObj_CountObjects',
  '_FPDFFormObj_GetObject',
  '_FPDFBitmap_FillRect',
  '_FPDF_RenderPageBitmap',
] as const;

export type Pdfium = Loaded &
  Readonly<Record<(typeof untyped)[number], Call>> & {
    readonly HEAPF32: Float32Array;
    readonly HEAPF64: Float64Array;
  };

export async function loadPdfium(): Promise<Pdfium> {
  const module = await PDFiumModule({});
  if (!isComplete(module)) throw new Error('This build of PDFium lacks functions turnwise needs.');
  module._PDFium_Init();
  return module;
}

function isComplete(module: Loaded): module is Pdfium {
  const parts: Readonly<Record<string, unknown>> = { ...module };
  return (
    untyped.every((name) => typeof parts[name] === 'function') &&
    parts['HEAPF32'] instanceof Float32Array &&
    parts['HEAPF64'] instanceof Float64Array
  );
}

/** Loads a document; 0 if PDFium cannot read it. Its memory is not freed, since the thread ends after one document. */
export function openDocument(pdfium: Pdfium, bytes: Uint8Array): number {
  const address = pdfium.wasmExports.malloc(bytes.length);
  pdfium.HEAPU8.set(bytes, address);
  return pdfium._FPDF_LoadMemDocument(address, bytes.length, 0);
}

/** Allocates `bytes` of PDFium's memory during `use`, at an address aligned for doubles. */
export function withMemory<T>(pdfium: Pdfium, bytes: number, use: (address: number) => T): T {
  const address = pdfium.wasmExports.malloc(bytes);
  try {
    return use(address);
  } finally {
    pdfium.wasmExports.free(address);
  }
}

/** Reads a text with one of PDFium's functions that fill a buffer. `fill` returns the number of bytes of the text. */
export function readText(
  pdfium: Pdfium,
  encoding: 'utf-8' | 'utf-16le',
  fill: (buffer: number, bytes: number) => number,
): string {
  const bytes = fill(0, 0);
  if (bytes <= 0) return '';
  return withMemory(pdfium, bytes, (buffer) => {
    fill(buffer, bytes);
    const text = new TextDecoder(encoding).decode(pdfium.HEAPU8.slice(buffer, buffer + bytes));
    return text.replace(/\0.*$/s, '').trim();
  });
}
