import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { extractPaper } from '../../domain/extraction/extract-paper.js';
import type { PdfContent } from '../../domain/extraction/page-content.js';
import type { Paper } from '../../domain/extraction/paper.js';
import { readPdf } from '../../worker/adapters/pdfium/document.js';
import { withDocument, withMemory, type Pdfium } from '../../worker/adapters/pdfium/module.js';
import { PrintedText } from './compare.js';
import { latexTruth } from './latex-truth.js';
import { markdownTruth } from './markdown-truth.js';
import { decodeSource, type PaperTruth } from './truth.js';
import { typstTruth } from './typst-truth.js';

/** A PDF and, where it lies beside it, the source that it was made from. */
export interface PaperFile {
  readonly name: string;
  readonly pdf: string;
  readonly source: string | null;
}

/** What is measured of a paper. */
export interface MeasuredPaper {
  readonly name: string;
  /** Null where no source lies beside the PDF. */
  readonly truth: PaperTruth | null;
  readonly content: PdfContent;
  readonly paper: Paper;
  /** The text of all pages as PDFium gives it. */
  readonly bare: string;
  /** The same, to see which parts of the source the PDF prints at all. */
  readonly whole: PrintedText;
  /** Of the first two pages. */
  readonly front: PrintedText;
}

type ReadSource = (text: string, path: string) => PaperTruth;
const formats: Readonly<Record<string, ReadSource>> = {
  '.Rnw': latexTruth,
  '.Rtex': latexTruth,
  '.tex': latexTruth,
  '.Rmd': markdownTruth,
  '.typ': typstTruth,
};

/** The PDFs of a folder by name. `filter` is a part of the names wanted. */
export function papersIn(folder: string, filter = ''): readonly PaperFile[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.pdf') && file.includes(filter))
    .sort()
    .map((file) => {
      const stem = join(folder, basename(file, '.pdf'));
      const ending = Object.keys(formats).find((format) => existsSync(stem + format));
      return {
        name: basename(file, '.pdf'),
        pdf: join(folder, file),
        source: ending === undefined ? null : stem + ending,
      };
    });
}

/** Reads and extracts one PDF; null where the reader refuses it. */
export async function measurePaper({
  name,
  pdf,
  source,
}: PaperFile): Promise<MeasuredPaper | null> {
  const bytes = readFileSync(pdf);
  const reading = await readPdf(bytes);
  if (reading.kind === 'unreadable') return null;
  const pages = await bareText(bytes);
  return {
    name,
    truth: source === null ? null : truthOf(source),
    content: reading.content,
    paper: extractPaper(reading.content),
    bare: pages.join('\n'),
    whole: new PrintedText(pages.join('\n')),
    front: new PrintedText(pages.slice(0, 2).join('\n')),
  };
}

function truthOf(path: string): PaperTruth | null {
  const read = Object.entries(formats).find(([format]) => path.endsWith(format))?.[1];
  return read?.(decodeSource(readFileSync(path)), path) ?? null;
}

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
