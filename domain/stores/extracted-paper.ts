import { z } from 'zod';
import { paperSchema } from '../extraction/paper.js';

/** Raise it when extraction gives another result for the same PDF: papers with another version are read again. */
export const extractionVersion = 2;

/** `papers/SHA256.json`: the extracted content of a PDF. */
export const extractedPaperSchema = z.object({
  version: z.literal(extractionVersion),
  /** File name of the PDF. */
  file: z.string(),
  /** The path of the PDF when it was read. */
  path: z.string(),
  /** SHA-256 of the PDF's bytes, in hex. */
  sha256: z.string().length(64),
  paper: paperSchema,
});
export type ExtractedPaper = Readonly<z.infer<typeof extractedPaperSchema>>;
