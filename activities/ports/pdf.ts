import type { PdfDocument } from '../../domain/papers/pdf-document.js';

export interface PdfPort {
  /** Throws PortFailure('UnreadablePdf') with one sentence that names the file and what is wrong with it. */
  readonly read: (path: string, signal: AbortSignal) => Promise<PdfDocument>;
}
