import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { storeNameSchema } from '../../../../domain/ids.js';
import { extractPaper } from '../../../../domain/extraction/extract-paper.js';
import {
  extractionVersion,
  type ExtractedPaper,
  type PaperRows,
} from '../../../../domain/stores/paper-tables.js';
import { pdfCopyFile, storeFolder } from '../../../../domain/stores/store-manifest.js';
import { createPaperFiles } from '../../../../worker/adapters/files/paper-files.js';
import { contentOf } from '../../../support/extraction/pdf-content.js';
import { importedRows } from '../../../support/stores/imported-paper.js';
import { placeAt } from '../../../support/stores/place-at.js';

const home = mkdtempSync(join(tmpdir(), 'turnwise-paper-files-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const store = storeNameSchema.parse('papers');
const { storage, copies } = placeAt(home);
const files = createPaperFiles(storage, copies);

function paperAt(name: string, sha256: string): ExtractedPaper {
  const path = join(home, name);
  writeFileSync(path, `content of ${name}`);
  const paper = extractPaper(contentOf([['text']]));
  return { version: extractionVersion, file: name, path, sha256, paper };
}

it('keeps the PDF with the store, whatever becomes of the file it was read from', async () => {
  const paper = paperAt('gone.pdf', 'a'.repeat(64));
  await files.keep(store, paper, paper.path);
  rmSync(paper.path);
  const path = await files.pdf(store, paper.sha256);
  expect(path).toBe(join(home, storeFolder(store), pdfCopyFile(paper.sha256)));
  expect(readFileSync(path ?? '', 'utf8')).toBe('content of gone.pdf');
  expect(await files.kept(store, paper.sha256)).toEqual(paper);
});

it('keeps an imported paper, with a copy of its PDF where there is one', async () => {
  const imported = { imported: 1, file: 'geese.pdf', rows: importedRows() } as const;
  const without = { ...imported, path: null, sha256: 'd'.repeat(64) };
  await files.keep(store, without, null);
  expect(await files.kept(store, without.sha256)).toEqual(without);
  expect(await files.pdf(store, without.sha256)).toBeNull();

  const path = join(home, 'geese.pdf');
  writeFileSync(path, 'geese');
  const withPdf = { ...imported, path, sha256: 'e'.repeat(64) };
  await files.keep(store, withPdf, path);
  expect(await files.kept(store, withPdf.sha256)).toEqual(withPdf);
  expect(await files.pdf(store, withPdf.sha256)).not.toBeNull();
});

it.each([
  ['a table', (rows: PaperRows) => ({ ...rows, pages: undefined })],
  ['a column', (rows: PaperRows) => ({ ...rows, pages: [{ page_id: null }] })],
  [
    'the type of a cell',
    ({ pages, ...rows }: PaperRows) => ({
      ...rows,
      pages: pages.map((page) => ({ ...page, page_number: 'one' })),
    }),
  ],
])('does not take an imported paper that lacks %s', async (_, change) => {
  const sha256 = 'f'.repeat(64);
  const rows = change(importedRows()) as unknown as PaperRows;
  await files.keep(store, { imported: 1, file: 'geese.pdf', path: null, sha256, rows }, null);
  expect(await files.kept(store, sha256)).toBeNull();
});

it('knows nothing of a PDF it never kept', async () => {
  expect(await files.pdf(store, 'c'.repeat(64))).toBeNull();
});
