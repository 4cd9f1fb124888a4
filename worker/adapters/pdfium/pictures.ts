import type { PaperFilesPort } from '../../../activities/ports/stores.js';
import type { PictureOutcome, PicturesPort } from '../../../activities/ports/tools.js';
import type { StoreGenerations } from '../../../storage/stores/store-generations.js';
import { createSemaphore } from '../duckdb/pool.js';
import { timeLimit } from '../time-limit.js';
import { createPdfiumThreads } from './threads.js';

/** The largest picture and its PNG take a tenth of it. */
const drawingMb = 256;

/** Draws pages of a store's papers with PDFium, each in a thread that is ended at its timeout. */
export function createPdfiumPictures({
  generations,
  pdf,
  threads = 2,
  thread = new URL('./pdfium-thread.js', import.meta.url),
}: {
  readonly generations: Pick<StoreGenerations, 'holding'>;
  readonly pdf: PaperFilesPort['pdf'];
  /** The most threads at once; each takes up to about 200 MB. @defaultValue 2 */
  readonly threads?: number;
  /** The compiled thread. @defaultValue beside this module */
  readonly thread?: URL;
}): PicturesPort {
  const withinLimit = createSemaphore(threads);
  const drawInThread = createPdfiumThreads({ thread, memoryMb: drawingMb });
  const port: PicturesPort = {
    ofPage: async ({ paperId, ...area }, signal) => {
      const { page } = area;
      const { papers } = await generations.holding(area);
      const paper = papers.find((candidate) => candidate.paperId === paperId);
      if (paper === undefined) return { kind: 'no-paper' };
      if (page > paper.pages) return { kind: 'no-page' };
      return port.ofPdf({ ...area, sha256: paper.sha256 }, signal);
    },
    ofPdf: async ({ store, sha256, page, box, timeoutMs }, signal) => {
      const path = await pdf(store, sha256);
      if (path === null) {
        return { kind: 'picture-error', message: 'the PDF of this paper is not kept' };
      }
      return withinLimit(() => draw(path), signal);

      async function draw(file: string): Promise<PictureOutcome> {
        const end = AbortSignal.any([signal, timeLimit(timeoutMs)]);
        const drawn = await drawInThread({ kind: 'draw', path: file, page, box: [...box] }, end);
        signal.throwIfAborted();
        switch (drawn.kind) {
          case 'drawn': {
            const base64 = Buffer.from(drawn.png).toString('base64');
            return { kind: 'picture', picture: { mimeType: 'image/png', base64 } };
          }
          case 'no-page':
            return drawn;
          case 'undrawable':
            return { kind: 'picture-error', message: drawn.reason };
          case 'out-of-memory':
            return { kind: 'picture-error', message: 'the picture needs too much memory' };
          case 'ended':
            return { kind: 'picture-timeout' };
        }
      }
    },
  };
  return port;
}
