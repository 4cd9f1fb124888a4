import { describe, expect, it } from 'vitest';
import { readPdf } from '../../../../worker/adapters/pdfium/document.js';
import { rawPdf } from '../../../support/stores/make-pdf.js';

/** Octal codes of accents and the dotless i in the standard encoding of Type 1 fonts. */
const [acute, dieresis, cedilla, dotlessI] = ['\\302', '\\310', '\\313', '\\365'];

interface Piece {
  readonly text: string;
  readonly x: number;
  readonly font?: 'F0' | 'F1';
}

/** The line of a page that draws these pieces at 10 points in Helvetica, whose `o` is 5.6 wide and whose accents are 3.3. */
async function lineOf(pieces: readonly Piece[]): Promise<string> {
  const drawn = pieces
    .map(({ text, x, font = 'F0' }) => `/${font} 10 Tf 1 0 0 1 ${x} 700 Tm (${text}) Tj`)
    .join('\n');
  const content = `BT\n${drawn}\nET`;
  const fonts = ['Helvetica', 'Helvetica-Bold'].map(
    (name, index) => `/F${index} << /Type /Font /Subtype /Type1 /BaseFont /${name} >>`,
  );
  const reading = await readPdf(
    rawPdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << ${fonts.join(' ')} >> >> >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]),
  );
  if (reading.kind === 'unreadable') throw new Error(reading.reason);
  return (reading.content.pages[0]?.lines ?? []).map(({ text }) => text).join(' / ');
}

describe('accents that a font prints apart from their letters', () => {
  it('join the letter behind them', async () => {
    expect(
      await lineOf([
        { text: 'G', x: 72 },
        { text: dieresis, x: 80.9 },
        { text: 'odel', x: 79.8 },
      ]),
    ).toBe('Gödel');
  });

  it('join the letter in front of them, also with the accent at the end of the line', async () => {
    expect(
      await lineOf([
        { text: 'Godel said', x: 72 },
        { text: dieresis, x: 80.9 },
      ]),
    ).toBe('Gödel said');
  });

  it('join a dotless i and a letter that they hang under', async () => {
    expect(
      await lineOf([
        { text: 'T', x: 72 },
        { text: acute, x: 77.3 },
        { text: dotlessI, x: 78.1 },
        { text: 'tulo gar', x: 80.9 },
        { text: cedilla, x: 115 },
        { text: 'con', x: 114.3 },
      ]),
    ).toBe('Título garçon');
  });

  it('stay where they stand beside a letter or belong to a formula in another font', async () => {
    expect(await lineOf([{ text: `${acute}a${acute}`, x: 72 }])).toBe('´a´');
    expect(
      await lineOf([
        { text: dieresis, x: 73.1, font: 'F1' },
        { text: 'o', x: 72 },
      ]),
    ).toContain('¨');
  });
});
