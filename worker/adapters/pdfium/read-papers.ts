import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename } from 'node:path';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { PdfPort } from '../../../activities/ports/stores.js';
import { inPdfiumThread } from './job.js';

/** Reads PDFs with PDFium, each in a thread of its own that is ended after `limitMs`. */
export function createPdfiumPdf({
  limitMs = 120_000,
  thread = new URL('./pdfium-thread.js', import.meta.url),
}: {
  /** @defaultValue two minutes: a thousand pages take about 40 s */
  readonly limitMs?: number;
  /** The compiled thread. @defaultValue beside this module */
  readonly thread?: URL;
} = {}): PdfPort {
  return {
    read: async (path, signal) => {
      signal.throwIfAborted();
      const refuse = (reason: string): never => {
        throw new PortFailure('UnreadablePdf', `${basename(path)} cannot be read: it ${reason}.`);
      };
      const readable = await access(path, constants.R_OK).then(
        () => true,
        () => false,
      );
      if (!readable) return refuse('does not exist or may not be opened');
      const reading = await inPdfiumThread(
        thread,
        { kind: 'read', path },
        AbortSignal.any([signal, AbortSignal.timeout(limitMs)]),
      );
      signal.throwIfAborted();
      switch (reading.kind) {
        case 'read':
          return reading.paper;
        case 'unreadable':
          return refuse(reading.reason);
        case 'ended':
          return refuse(`is not read after ${limitMs / 1000} s`);
      }
    },
  };
}
