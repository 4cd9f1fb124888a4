import { withDocument, withMemory, type Pdfium } from '../../worker/adapters/pdfium/module.js';

/** The text of each page as PDFium gives it, without any layout: what our reader is compared with. */
export const bareText = (bytes: Uint8Array): Promise<readonly string[]> =>
  withDocument(bytes, (pdfium, document) =>
    document === 0
      ? []
      : Array.from({ length: pdfium._FPDF_GetPageCount(document) }, (_, index) =>
          pageText(pdfium, document, index),
        ),
  );

function pageText(pdfium: Pdfium, document: number, index: number): string {
  const page = pdfium._FPDF_LoadPage(document, index);
  if (page === 0) return '';
  const text = pdfium._FPDFText_LoadPage(page);
  const count = Math.max(0, pdfium._FPDFText_CountChars(text));
  const units = count + 1;
  const read = withMemory(pdfium, units * 2, (address) => {
    pdfium._FPDFText_GetText(text, 0, count, address);
    return new TextDecoder('utf-16le').decode(pdfium.HEAPU8.slice(address, address + count * 2));
  });
  pdfium._FPDFText_ClosePage(text);
  pdfium._FPDF_ClosePage(page);
  return read;
}
