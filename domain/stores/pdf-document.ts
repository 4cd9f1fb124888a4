import { z } from 'zod';

/** A line of text. Sizes and positions are in PDF points from the lower left corner of the page. */
export const pdfLineSchema = z.object({
  text: z.string(),
  /** The size of most characters in the line. */
  fontSize: z.number(),
  bold: z.boolean(),
  top: z.number(),
  /** False for vertical text, such as the stamp of a preprint server. */
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

/** An outline entry that points to a page. */
export const outlineEntrySchema = z.object({
  title: z.string(),
  /** From 1. */
  level: z.int().positive(),
  /** From 1. */
  page: z.int().positive(),
  /** The vertical position; null when the entry points to the whole page. */
  top: z.number().nullable(),
});
export type OutlineEntry = Readonly<z.infer<typeof outlineEntrySchema>>;

/** The extracted content of a PDF, before any interpretation. */
const pdfDocumentSchema = z.object({
  /** The document properties; empty strings when the PDF states none. */
  properties: z.object({ title: z.string(), author: z.string(), keywords: z.string() }),
  /** In document order, parents before their children. */
  outline: z.array(outlineEntrySchema),
  pages: z.array(pdfPageSchema).min(1),
});
export type PdfDocument = Readonly<z.infer<typeof pdfDocumentSchema>>;

/** U+00AD. It ends a line whose last word continues in the next line. */
export const softHyphen = '\u00AD';

/** Raise it when extraction gives another result for the same PDF: papers with another version are read again. */
export const extractionVersion = 1;

/** `papers/SHA256.json`: the extracted content of a PDF. */
export const extractedPaperSchema = z.object({
  version: z.literal(extractionVersion),
  /** File name of the PDF. */
  file: z.string(),
  /** The path of the PDF when it was read. */
  path: z.string(),
  /** SHA-256 of the PDF's bytes, in hex. */
  sha256: z.string().length(64),
  document: pdfDocumentSchema,
});
export type ExtractedPaper = Readonly<z.infer<typeof extractedPaperSchema>>;
