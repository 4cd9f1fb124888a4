import { z } from 'zod';
import { pdfDocumentSchema } from './pdf-document.js';

/** Grows when reading the same PDF gives another document: a paper kept under another number is read again. */
export const extractionVersion = 1;

/** `papers/SHA256.json`: what a PDF was found to hold. */
export const keptPaperSchema = z.object({
  version: z.literal(extractionVersion),
  /** File name of the PDF. */
  file: z.string(),
  /** Where the PDF was when it was read. */
  path: z.string(),
  /** Of the PDF's bytes, in hex. */
  sha256: z.string().length(64),
  document: pdfDocumentSchema,
});
export type KeptPaper = Readonly<z.infer<typeof keptPaperSchema>>;
