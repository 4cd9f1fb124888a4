import { expect, it } from 'vitest';
import { readPdf } from '../../../../worker/adapters/pdfium/document.js';
import { rawPdf } from '../../../support/stores/make-pdf.js';

const text = [
  'BT /F0 10 Tf 100 700 Td (A page to read.) Tj ET',
  'BT /F0 6 Tf 20 790 Td (PRINTER SHEET 7) Tj ET',
  'BT /F0 10 Tf 555 400 Td (half of it) Tj ET',
].join('\n');

/** One page with a line within its crop box, one above it and one that crosses its right side at x 580. */
const pdf = (page: string): Buffer =>
  rawPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] /MediaBox [0 0 612 800] >>',
    `<< /Type /Page /Parent 2 0 R ${page} /Contents 4 0 R /Resources << /Font << /F0 << /Type /Font /Subtype /Type1 /BaseFont /Courier >> >> >> >>`,
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
  ]);

async function linesOf(page: string): Promise<readonly string[]> {
  const reading = await readPdf(pdf(page));
  return reading.kind === 'read'
    ? reading.content.pages.flatMap(({ lines }) => lines.map((line) => line.text))
    : [];
}

it.each([
  '/CropBox [30 30 580 770]',
  '/CropBox [30 30 580 770] /Rotate 90',
  '/CropBox [30 30 580 770] /Rotate 180',
  '/CropBox [580 770 30 30]',
])('text outside the crop box is no text of the page: %s', async (page) => {
  expect(await linesOf(page)).toEqual(['A page to read.', 'half']);
});

it('a page without a crop box has all of its text', async () => {
  expect(await linesOf('')).toHaveLength(3);
});
