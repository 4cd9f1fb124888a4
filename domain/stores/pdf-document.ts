import { z } from 'zod';

/** A line of print. Sizes and positions are PDF points, measured from the page's lower left corner. */
export const pdfLineSchema = z.object({
  text: z.string(),
  /** Of most of its characters. */
  fontSize: z.number(),
  bold: z.boolean(),
  top: z.number(),
  /** False for text that runs up or down the page, such as a preprint server's stamp. */
  upright: z.boolean(),
});
export type PdfLine = Readonly<z.infer<typeof pdfLineSchema>>;

export const pdfPageSchema = z.object({
  width: z.number(),
  height: z.number(),
  /** In reading order. */
  lines: z.array(pdfLineSchema),
});
export type PdfPage = Readonly<z.infer<typeof pdfPageSchema>>;

/** An entry of the outline that points to a page of the document. */
export const outlineEntrySchema = z.object({
  title: z.string(),
  /** From 1. */
  level: z.int().positive(),
  /** From 1. */
  page: z.int().positive(),
  /** Where on the page; null where the entry means the page as a whole. */
  top: z.number().nullable(),
});
export type OutlineEntry = Readonly<z.infer<typeof outlineEntrySchema>>;

/** What a PDF holds, as found: nothing in it is interpreted yet. */
const pdfDocumentSchema = z.object({
  /** The document properties; empty text where the PDF states none. */
  properties: z.object({ title: z.string(), author: z.string(), keywords: z.string() }),
  /** In document order, parents before their children. */
  outline: z.array(outlineEntrySchema),
  pages: z.array(pdfPageSchema).min(1),
});
export type PdfDocument = Readonly<z.infer<typeof pdfDocumentSchema>>;

/** U+00AD. Ends a line whose last word goes on in the next one. */
export const softHyphen = '\u00AD';

/** Grows when reading the same PDF gives another document: a paper kept under another number is read again. */
export const extractionVersion = 1;

/** `papers/SHA256.json`: what a PDF was found to hold. */
export const extractedPaperSchema = z.object({
  version: z.literal(extractionVersion),
  /** File name of the PDF. */
  file: z.string(),
  /** Where the PDF was when it was read. */
  path: z.string(),
  /** Of the PDF's bytes, in hex. */
  sha256: z.string().length(64),
  document: pdfDocumentSchema,
});
export type ExtractedPaper = Readonly<z.infer<typeof extractedPaperSchema>>;
