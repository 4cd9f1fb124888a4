import { z } from 'zod';
import type { Paper } from '../../../domain/extraction/paper.js';
import type { Unreadable } from './document.js';
import type { PageDrawing } from './draw-page.js';

/** The work of one PDFium thread. `path` comes from the worker, not from a model. */
export const pdfiumJobSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('read'),
    path: z.string(),
    /** Pages, from 1, that are left out, and why. */
    givenUp: z.array(z.tuple([z.int().positive(), z.string()])),
    /** The most memory that PDFium may take beside the file. */
    pdfiumMb: z.number(),
    /** Whether a PDF without any text that can be used is read like others. */
    keepsScans: z.boolean(),
  }),
  z.object({
    kind: z.literal('draw'),
    path: z.string(),
    page: z.int().positive(),
    box: z.array(z.number()),
  }),
]);
export type PdfiumJob = Readonly<z.infer<typeof pdfiumJobSchema>>;

export type PaperReading =
  | { readonly kind: 'read'; readonly paper: Paper }
  | Unreadable
  /** PDFium stopped in this page. */
  | { readonly kind: 'broken-page'; readonly page: number; readonly reason: string }
  /** PDFium needs more memory than it may have, for this page or, where that is null, for the file as a whole. */
  | { readonly kind: 'pdfium-full'; readonly page: number | null };

/** What a reading thread posts before its result: the page that it begins, or null when it has read all of them. */
export interface PdfProgress {
  readonly kind: 'progress';
  readonly page: number | null;
}

export interface Results {
  readonly read: PaperReading;
  readonly draw: PageDrawing;
}

/** What a thread comes to that does not complete its job. */
export type Incomplete = { readonly kind: 'ended' } | { readonly kind: 'out-of-memory' };
