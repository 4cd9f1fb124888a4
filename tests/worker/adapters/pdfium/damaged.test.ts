import { describe, expect, it } from 'vitest';
import { extractPaper } from '../../../../domain/extraction/extract-paper.js';
import type { PageContent } from '../../../../domain/extraction/page-content.js';
import { readPdf, type PdfReading } from '../../../../worker/adapters/pdfium/document.js';
import { rawPdf } from '../../../support/stores/make-pdf.js';

const catalog = '<< /Type /Catalog /Pages 2 0 R >>';
const tree = '<< /Type /Pages /Count 1 /Kids [3 0 R] >>';
const font = '<< /Font << /F0 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>';
const pageWith = (changes = '', contents = 4): string =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents ${contents} 0 R /Resources ${font} ${changes} >>`;
const streamOf = (content: string, entries = ''): string =>
  `<< /Length ${content.length} ${entries} >>\nstream\n${content}\nendstream`;
const hello = streamOf('BT /F0 10 Tf 100 700 Td (Hello) Tj ET');

async function pageOf(...objects: readonly string[]): Promise<PageContent> {
  const reading: PdfReading = await readPdf(rawPdf(objects));
  if (reading.kind === 'unreadable') throw new Error(reading.reason);
  const [page] = reading.content.pages;
  if (page === undefined) throw new Error('no page');
  return page;
}
const reasonOf = async (...objects: readonly string[]): Promise<string> => {
  const reading = await readPdf(rawPdf(objects));
  return reading.kind === 'unreadable' ? reading.reason : 'read';
};

describe('a strange PDF', () => {
  it('without pages is refused', async () => {
    expect(await reasonOf(catalog, '<< /Type /Pages /Count 0 /Kids [] >>')).toBe('has no pages');
  });

  it('whose page tree is a circle ends in a reason', async () => {
    const circle = '<< /Type /Pages /Count 3 /Kids [2 0 R 2 0 R] /Parent 2 0 R >>';
    expect(await reasonOf(catalog, circle)).toMatch(/^(has no pages|is damaged|contains no text)/);
  });

  it('whose outline is a circle is read once around', async () => {
    const reading = await readPdf(
      rawPdf([
        '<< /Type /Catalog /Pages 2 0 R /Outlines 5 0 R >>',
        tree,
        pageWith(),
        hello,
        '<< /First 6 0 R /Last 6 0 R >>',
        '<< /Title (Again) /Parent 5 0 R /Next 6 0 R /First 6 0 R /Dest [3 0 R /Fit] >>',
      ]),
    );
    if (reading.kind === 'unreadable') throw new Error(reading.reason);
    expect(reading.content.outline).toEqual([{ title: 'Again', level: 1, page: 1, y: null }]);
  });

  it('that is only a picture contains no text, however many pixels the picture states', async () => {
    const picture = streamOf(
      '',
      '/Type /XObject /Subtype /Image /Width 60000 /Height 60000 /ColorSpace /DeviceGray /BitsPerComponent 8',
    );
    const resources = '/Resources << /XObject << /P 5 0 R >> >>';
    const drawn = streamOf('600 0 0 800 0 0 cm /P Do');
    const page = `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R ${resources} >>`;
    expect(await reasonOf(catalog, tree, page, drawn, picture)).toMatch(/^contains no text/);
  });

  it('with 5,000 pages is read', async () => {
    const kids = Array.from({ length: 5000 }, (_, index) => index + 4);
    const reading = await readPdf(
      rawPdf([
        catalog,
        `<< /Type /Pages /Count 5000 /Kids [${kids.map((id) => `${id} 0 R`).join(' ')}] >>`,
        hello,
        ...kids.map(() => pageWith('', 3)),
      ]),
    );
    if (reading.kind === 'unreadable') throw new Error(reading.reason);
    expect(reading.content.pages).toHaveLength(5000);
    expect(reading.content.pages.at(-1)?.lines.map(({ text }) => text)).toEqual(['Hello']);
    expect(extractPaper(reading.content).pages).toHaveLength(5000);
  }, 60_000);

  it('leaves out the pages that were given up, and says why', async () => {
    const kids = '<< /Type /Pages /Count 2 /Kids [3 0 R 5 0 R] >>';
    const begun: (number | null)[] = [];
    const reading = await readPdf(rawPdf([catalog, kids, pageWith(), hello, pageWith()]), {
      givenUp: new Map([[1, 'it takes more than 30 s']]),
      onPage: (page) => begun.push(page),
    });
    if (reading.kind === 'unreadable') throw new Error(reading.reason);
    expect(reading.content.pages).toMatchObject([
      { width: 600, height: 800, lines: [], unusable: 'it takes more than 30 s' },
      { width: 600, height: 800, lines: [{ text: 'Hello' }], unusable: null },
    ]);
    expect(begun).toEqual([2, null]);
  });
});

describe('the place of things on a page', () => {
  const corner = (page: PageContent): readonly number[] =>
    (page.lines[0]?.box ?? []).slice(0, 2).map(Math.round);

  it('is measured from the corner of the crop box', async () => {
    const page = await pageOf(catalog, tree, pageWith('/CropBox [50 100 550 750]'), hello);
    expect([page.width, page.height]).toEqual([500, 650]);
    expect(corner(page)).toEqual([51, 43]);
  });

  it('is that of the page as it is shown when it is turned', async () => {
    const upright = streamOf('BT /F0 10 Tf 0 1 -1 0 100 300 Tm (Hello) Tj ET');
    const page = await pageOf(catalog, tree, pageWith('/Rotate 90'), upright);
    expect([page.width, page.height]).toEqual([800, 600]);
    expect(page.lines[0]).toMatchObject({ text: 'Hello', upright: true });
    expect(corner(page)).toEqual([301, 93]);
  });

  it('counts the matrices of the forms around a rule and a picture frame', async () => {
    const outer = streamOf(
      'q 2 0 0 2 10 10 cm /I Do Q',
      '/Type /XObject /Subtype /Form /BBox [0 0 500 500] /Resources << /XObject << /I 6 0 R >> >>',
    );
    const inner = streamOf('0 0 50 0.5 re f', '/Type /XObject /Subtype /Form /BBox [0 0 100 100]');
    const drawn = streamOf('BT /F0 10 Tf 100 700 Td (Hello) Tj ET 1 0 0 1 100 200 cm /O Do');
    const resources = `<< /XObject << /O 5 0 R >> ${font.slice(2)}`;
    const page = await pageOf(
      catalog,
      tree,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources ${resources} >>`,
      drawn,
      outer,
      inner,
    );
    expect(page.rules.map((box) => box.map(Math.round))).toEqual([[110, 589, 100, 1]]);
  });

  it('is cut by a clip path, and paths that are not drawn have none', async () => {
    const drawn = streamOf(
      'BT /F0 10 Tf 100 700 Td (Hello) Tj ET 300 300 50 50 re n q 100 100 200 200 re W n 0 0 600 800 re f Q',
    );
    const page = await pageOf(catalog, tree, pageWith(), drawn);
    expect(page.drawings.map((box) => box.map(Math.round))).toEqual([[100, 500, 200, 200]]);
  });
});

describe('text that runs from right to left', () => {
  it('is read in the order in which it is spoken', async () => {
    // The letters alef, bet and gimel, drawn from the left: gimel, bet, alef.
    const toUnicode = streamOf(
      'begincmap 1 begincodespacerange <00> <ff> endcodespacerange 3 beginbfchar <41> <05d0> <42> <05d1> <43> <05d2> endbfchar endcmap',
    );
    const hebrew = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>';
    const page = `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F0 5 0 R >> >> >>`;
    const drawn = streamOf('BT /F0 10 Tf 100 700 Td (CBA) Tj ET');
    const { lines } = await pageOf(catalog, tree, page, drawn, hebrew, toUnicode);
    expect(lines.map(({ text }) => text)).toEqual(['\u05D0\u05D1\u05D2']);
  });
});

describe('ligatures of fonts without a character map', () => {
  it('are restored inside words', async () => {
    const glyph = streamOf('600 0 0 0 500 700 d1 0 0 500 700 re f');
    const names = [...Array(128).keys()].map((code) => `/a${code}`).join(' ');
    const procedures = [...Array(128).keys()].map((code) => `/a${code} 6 0 R`).join(' ');
    const bitmap = `<< /Type /Font /Subtype /Type3 /FontBBox [0 0 600 700] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 0 /LastChar 127 /Widths [${Array(128).fill(600).join(' ')}] /Encoding << /Type /Encoding /Differences [0 ${names.replaceAll('/a', '/g')}] >> /CharProcs << ${procedures.replaceAll('/a', '/g')} >> >>`;
    const page = `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F0 5 0 R >> >> >>`;
    const drawn = streamOf('BT /F0 10 Tf 100 700 Td (di\\036cult) Tj ET');
    const { lines } = await pageOf(catalog, tree, page, drawn, bitmap, glyph);
    expect(lines.map(({ text }) => text)).toEqual(['difficult']);
  });
});
