import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deflateSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import type { PdfContent } from '../../../../domain/extraction/page-content.js';
import { readPdf } from '../../../../worker/adapters/pdfium/document.js';
import { createPdfiumPdf } from '../../../../worker/adapters/pdfium/read-papers.js';
import { compiledEntry } from '../../../support/commands/compiled-entry.js';
import { lanternPaper } from '../../../support/stores/example-papers.js';
import { makePdf, rawPdf } from '../../../support/stores/make-pdf.js';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-pdf-'));
const { entry: thread, remove } = compiledEntry('worker/adapters/pdfium/pdfium-thread.ts');
afterAll(() => {
  remove();
  rmSync(folder, { recursive: true, force: true });
});

const pdf = createPdfiumPdf({ thread });
const never = new AbortController().signal;

function fileOf(name: string, content: Uint8Array | string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** Its second page is compressed, and has so many bytes by itself. */
function bombPdf(bytes: number): Buffer {
  const page = (contents: number): string =>
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents ${contents} 0 R /Resources << /Font << /F0 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>`;
  const text = 'BT /F0 10 Tf 100 700 Td (A page to read.) Tj ET ';
  const packed = deflateSync(Buffer.alloc(bytes, text)).toString('latin1');
  return rawPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] >>',
    page(5),
    page(6),
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
    `<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n${packed}\nendstream`,
  ]);
}

async function contentOf(bytes: Uint8Array): Promise<PdfContent> {
  const reading = await readPdf(bytes);
  if (reading.kind === 'unreadable') throw new Error(reading.reason);
  return reading.content;
}

describe('the content of a PDF', () => {
  it('finds lines with their print, properties, outline and page sizes', async () => {
    const document = await contentOf(lanternPaper());
    expect(document.properties).toEqual({
      title: 'Lantern: Counting Fireflies with Cheap Cameras',
      author: 'Ada Field; Bo Marsh',
      keywords: 'fireflies, counting',
    });
    expect(document.outline.map(({ title, level, page }) => [title, level, page])).toEqual([
      ['Introduction', 1, 1],
      ['Method', 1, 1],
      ['Cameras', 2, 1],
      ['Results', 1, 1],
    ]);
    expect(document.pages.map(({ width, height }) => [width, height])).toEqual([
      [612, 792],
      [612, 792],
    ]);
    expect(document.pages[0]?.lines.slice(0, 3)).toMatchObject([
      { text: 'Lantern: Counting Fireflies with Cheap Cameras', fontSize: 18, bold: false },
      { text: 'Abstract', fontSize: 10, bold: true, upright: true },
      { text: 'We count fireflies at night with cameras that cost nine dollars.', bold: false },
    ]);
    expect(document.pages[1]?.lines.map(({ text }) => text)).toEqual([
      'The dry meadow held 57 fireflies.',
      'Moonlight halves the count.',
    ]);
  });

  it('keeps a raised mark in the line it belongs to', async () => {
    const { pages } = await contentOf(
      makePdf({
        pages: [
          [
            { text: 'Ada Field', x: 72, y: 700 },
            { text: '1', x: 114.5, y: 704, size: 6 },
            { text: 'and Bo Marsh', x: 120, y: 700 },
            { text: 'University of Ponds', x: 72, y: 680 },
          ],
        ],
      }),
    );
    expect(pages[0]?.lines.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Ada Field ?1 ?and Bo Marsh$/),
      'University of Ponds',
    ]);
  });
});

describe('reading a paper', () => {
  const whole = lanternPaper();
  const unreadable: readonly (readonly [string, Uint8Array | string, string])[] = [
    ['encrypted', makePdf({ pages: [[{ text: 'secret', y: 700 }]], encrypted: true }), 'password'],
    ['truncated-late', whole.subarray(0, whole.length - 200), 'is truncated'],
    ['truncated-early', whole.subarray(0, 300), 'is truncated'],
    ['text', 'Dear reader, this is no PDF.', 'is not a PDF'],
    ['empty', '', 'is not a PDF'],
    ['head-only', '%PDF-1.7\n%%EOF\n', 'is damaged'],
    ['scan', makePdf({ pages: [[], []] }), 'contains no text'],
  ];
  it.each(unreadable)('refuses %s.pdf in one sentence', async (name, content, reason) => {
    const reading = pdf.read(fileOf(`${name}.pdf`, content), never);
    await expect(reading).rejects.toMatchObject({
      name: 'PortFailure',
      type: 'UnreadablePdf',
      message: expect.stringMatching(
        new RegExp(`^${name}\\.pdf cannot be read: it .*${reason}`),
      ) as unknown,
    });
  });

  it('reads a scan where scans are kept', async () => {
    const scan = fileOf('kept-scan.pdf', makePdf({ pages: [[], []] }));
    const paper = await pdf.read(scan, never, { keepsScans: true });
    expect(paper).toMatchObject({ title: null, sections: [], chunks: [] });
    expect(paper.pages.map(({ text }) => text)).toEqual(['', '']);
  });

  it('refuses a file that does not exist', async () => {
    await expect(pdf.read(join(folder, 'absent.pdf'), never)).rejects.toMatchObject({
      type: 'UnreadablePdf',
      message: 'absent.pdf cannot be read: it does not exist or may not be opened.',
    });
  });

  it('gives up on a file that takes longer than allowed', async () => {
    const hurried = createPdfiumPdf({ thread, limitMs: 1 });
    await expect(hurried.read(fileOf('slow.pdf', lanternPaper()), never)).rejects.toMatchObject({
      type: 'UnreadablePdf',
      message: expect.stringContaining('0.001 s') as unknown,
    });
  });

  /** A thread that answers `job`, the reading that it is sent, with `body`. */
  const threadOf = (name: string, body: string): URL =>
    pathToFileURL(
      fileOf(
        name,
        `import { parentPort, resourceLimits } from 'node:worker_threads';\nconst post = (message) => parentPort.postMessage(message);\nparentPort.on('message', (job) => {${body}});`,
      ),
    );

  it('gives up a page that takes too long, and reads the rest', async () => {
    const stuck = threadOf(
      'stuck.mjs',
      `if (job.givenUp.length > 0) post({ kind: 'read', paper: job.givenUp });
       else { post({ kind: 'progress', page: 2 }); setInterval(() => {}, 1000); }`,
    );
    const patient = createPdfiumPdf({ thread: stuck, pageLimitMs: 10 });
    await expect(patient.read(fileOf('stuck.pdf', ''), never)).resolves.toEqual([
      [2, 'it takes more than 0.01 s'],
    ]);
  });

  it('gives up on a file whose pages take too long together', async () => {
    const slow = threadOf(
      'slow.mjs',
      `let page = 1; setInterval(() => post({ kind: 'progress', page: page++ }), 1);`,
    );
    const hurried = createPdfiumPdf({ thread: slow, fileLimitMs: 50 });
    await expect(hurried.read(fileOf('long.pdf', ''), never)).rejects.toMatchObject({
      message: 'long.pdf cannot be read: it is not read after 0.05 s.',
    });
  });

  const hungry = threadOf(
    'hungry.mjs',
    `const { maxOldGenerationSizeMb: mb } = resourceLimits;
     if (mb === 64) post({ kind: 'read', paper: 'read alone' });
     else for (const held = []; ; held.push({ at: held.length }));`,
  );

  it('reads a file that needs much memory with more of it', async () => {
    const roomy = createPdfiumPdf({ thread: hungry, memoryMb: [16, 64] });
    await expect(roomy.read(fileOf('large.pdf', ''), never)).resolves.toBe('read alone');
  });

  it('refuses a file that needs more memory than that', async () => {
    const small = createPdfiumPdf({ thread: hungry, memoryMb: [16, 32] });
    await expect(small.read(fileOf('huge.pdf', ''), never)).rejects.toMatchObject({
      type: 'UnreadablePdf',
      message: 'huge.pdf cannot be read: it needs more than 32 MB of memory.',
    });
  });

  it('gives up a page that becomes larger than the memory, and reads the rest', async () => {
    const small = createPdfiumPdf({ thread, memoryMb: [128, 160] });
    const { pages } = await small.read(fileOf('bomb.pdf', bombPdf(200 * 2 ** 20)), never);
    expect(pages).toMatchObject([
      { text: 'A page to read.', unusable: null },
      { width: 600, height: 800, text: '', unusable: 'it needs more than 160 MB of memory' },
    ]);
  });

  it('refuses a file with many pages that stop PDFium', async () => {
    const broken = threadOf(
      'broken.mjs',
      `post({ kind: 'broken-page', page: job.givenUp.length + 1, reason: 'it stops' });`,
    );
    const reading = createPdfiumPdf({ thread: broken }).read(fileOf('broken.pdf', ''), never);
    await expect(reading).rejects.toMatchObject({
      message: 'broken.pdf cannot be read: it has more than 5 pages that cannot be read.',
    });
  });

  it('reads the next PDF in the same thread, unless the last one could not be read', async () => {
    const counting = threadOf(
      'counting.mjs',
      `globalThis.jobs = (globalThis.jobs ?? 0) + 1;
       if (job.path.endsWith('torn.pdf')) post({ kind: 'unreadable', reason: 'is torn' });
       else post({ kind: 'read', paper: globalThis.jobs });`,
    );
    const { read } = createPdfiumPdf({ thread: counting });
    const whole = fileOf('whole.pdf', '');
    await expect(read(whole, never)).resolves.toBe(1);
    await expect(read(whole, never)).resolves.toBe(2);
    await expect(read(fileOf('torn.pdf', ''), never)).rejects.toMatchObject({
      message: 'torn.pdf cannot be read: it is torn.',
    });
    await expect(read(whole, never)).resolves.toBe(1);
  });

  it('stops when the reading is no longer wanted', async () => {
    const reason = new Error('no longer wanted');
    const reading = pdf.read(fileOf('stopped.pdf', lanternPaper()), AbortSignal.abort(reason));
    await expect(reading).rejects.toBe(reason);
  });

  const published = resolve('../shared/data/test_pdf.pdf');
  it.skipIf(!existsSync(published))('reads a published paper (skipped where absent)', async () => {
    const { pages, sections } = await pdf.read(published, never);
    expect(pages).toHaveLength(3);
    expect(pages[0]?.text).toMatch(/^Retrieval-Augmented Generation for\n/);
    expect(sections.map(({ title }) => title)).toContain('Introduction');
  });
});
