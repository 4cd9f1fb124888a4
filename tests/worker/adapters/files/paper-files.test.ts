import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { storeNameSchema } from '../../../../domain/ids.js';
import { extractPaper } from '../../../../domain/extraction/extract-paper.js';
import {
  extractionVersion,
  type ExtractedPaper,
} from '../../../../domain/stores/extracted-paper.js';
import { pdfCopyFile, storeFolder } from '../../../../domain/stores/store-manifest.js';
import { createFolderPaperFiles } from '../../../../worker/adapters/files/paper-files.js';
import { contentOf } from '../../../support/extraction/pdf-content.js';

const home = mkdtempSync(join(tmpdir(), 'turnwise-paper-files-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const store = storeNameSchema.parse('papers');
const files = createFolderPaperFiles(home);

function paperAt(name: string, sha256: string): ExtractedPaper {
  const path = join(home, name);
  writeFileSync(path, `content of ${name}`);
  const paper = extractPaper(contentOf([['text']]));
  return { version: extractionVersion, file: name, path, sha256, paper };
}

it('keeps the PDF with the store, whatever becomes of the file it was read from', async () => {
  const paper = paperAt('gone.pdf', 'a'.repeat(64));
  await files.keep(store, paper);
  rmSync(paper.path);
  const path = await files.pdf(store, paper.sha256);
  expect(path).toBe(join(home, storeFolder(store), pdfCopyFile(paper.sha256)));
  expect(readFileSync(path ?? '', 'utf8')).toBe('content of gone.pdf');
  expect(await files.kept(store, paper.sha256)).toEqual(paper);
});

it('knows nothing of a PDF it never kept', async () => {
  expect(await files.pdf(store, 'c'.repeat(64))).toBeNull();
});
