import { describe, expect, it } from 'vitest';
import { readDoclingDocument } from '../../../../domain/extraction/parsers/docling.js';
import { readGrobidTei } from '../../../../domain/extraction/parsers/grobid.js';
import { readMineru } from '../../../../domain/extraction/parsers/mineru.js';
import type { PaperParts } from '../../../../domain/extraction/parsers/paper-parts.js';
import {
  doclingDocument,
  grobidReply,
  mineruContentList,
  mineruMiddle,
  pageSizes,
} from '../../../support/extraction/parser-replies.js';

const readings: readonly (readonly [string, () => PaperParts])[] = [
  ['GROBID', () => readGrobidTei(grobidReply, pageSizes)],
  ['MinerU, blocks', () => readMineru({ middle: mineruMiddle, contentList: null }, pageSizes)],
  [
    'MinerU, list of contents',
    () => readMineru({ middle: null, contentList: mineruContentList }, pageSizes),
  ],
  [
    'MinerU, both files',
    () => readMineru({ middle: mineruMiddle, contentList: mineruContentList }, pageSizes),
  ],
  ['Docling', () => readDoclingDocument(doclingDocument, pageSizes)],
];

/** Number, title and level of each section. */
const outlineOf = ({ sections }: PaperParts) =>
  sections?.list.map(({ number, title, level }) => [number, title, level]);

describe.each(readings)('%s', (_, read) => {
  const parts = read();
  const numbered = [
    ['1', 'Introduction', 1],
    ['2', 'Method', 1],
    ['2.1', 'Ovens', 2],
  ];

  it('gives title and abstract', () => {
    expect(parts).toMatchObject({
      title: 'Warm Ovens in Cold Rooms',
      abstract: 'We measure how ovens keep the warmth of a kitchen.',
    });
  });

  it('gives the sections with their numbers and the pages of their texts', () => {
    expect(outlineOf(parts)).toEqual(expect.arrayContaining(numbered));
    const method = parts.sections?.list.find(({ title }) => title === 'Method');
    expect(method?.passages[0]).toMatchObject({
      text: 'We heat each oven to the same warmth and wait.',
      page: 2,
    });
  });

  it('gives tables with their cells', () => {
    expect(parts.tables).toHaveLength(1);
    expect(parts.tables?.[0]).toMatchObject({ number: '1', page: 1 });
    expect(parts.tables?.[0]?.html?.replaceAll('th>', 'td>').replace('<th', '<td')).toBe(
      '<table><tr><td>Oven</td><td colspan="2">Warmth</td></tr><tr><td>A &lt; B</td><td>180</td><td>190</td></tr></table>',
    );
  });

  it('gives figures', () => {
    expect(parts.figures).toEqual([
      expect.objectContaining({
        caption: 'Figure 1: The kitchen from above.',
        number: '1',
        page: 2,
      }),
    ]);
  });

  it('gives references one by one', () => {
    expect(parts.references?.map(({ year, title, page }) => [year, title, page])).toEqual([
      [1999, 'Bread and warmth', 2],
      [2001, 'On kitchens', 2],
    ]);
  });
});

describe('what only GROBID gives', () => {
  const parts = readGrobidTei(grobidReply, pageSizes);

  it('are authors, affiliations, keywords, year, venue and DOI', () => {
    expect(parts).toMatchObject({
      authors: ['Ada Baker', 'Bo R Miller'],
      affiliations: ['Department of Bread, Kitchen College, Graz, Austria'],
      keywords: ['ovens', 'bread & warmth'],
      year: 2021,
      venue: 'Journal of Ovens',
      doi: '10.1000/ovens.1',
    });
  });

  it('are boxes around all lines on the first page of an item', () => {
    expect(parts.references?.map(({ box }) => box)).toEqual([
      [72, 600, 300, 12],
      [72, 620, 300, 24],
    ]);
    expect(parts.tables?.[0]?.box).toEqual([72, 400, 200, 60]);
  });

  it('are no equations, since its formulas have no structure', () => {
    expect(parts.equations).toBeUndefined();
    expect(parts.sections?.list[1]?.passages[1]?.text).toContain('E = mc 2');
  });

  it('is a section that goes on in a division without a heading', () => {
    expect(parts.sections?.list[1]?.passages.at(-1)?.text).toBe('Then the ovens cool.');
  });
});

describe('boxes', () => {
  it.each([
    ['of MinerU leave captions out', readings[1], [72, 400, 200, 60]],
    ['of MinerU come from its blocks where there are some', readings[3], [72, 400, 200, 60]],
    ['of Docling are counted from the top', readings[4], [72, 400, 200, 60]],
  ])('%s', (_, reading, box) => {
    expect(reading?.[1]().tables?.[0]?.box).toEqual(box);
  });

  it('of a list of contents are in thousandths of the page', () => {
    const { figures } = readMineru({ middle: null, contentList: mineruContentList }, pageSizes);
    expect(figures?.[0]?.box).toEqual([61.2, 99, 306, 198]);
  });

  it('grow with the page, and are dropped on a page of another shape', () => {
    const larger = pageSizes.map(({ width, height }) => ({ width: width * 2, height: height * 2 }));
    const turned = pageSizes.map(({ width, height }) => ({ width: height, height: width }));
    const tableOn = (pages: typeof pageSizes) => readGrobidTei(grobidReply, pages).tables?.[0];
    expect(tableOn(larger)?.box).toEqual([144, 800, 400, 120]);
    expect(tableOn(turned)).toMatchObject({ page: 1, box: null });
  });
});

describe('formulas', () => {
  it.each(readings.slice(1))('of %s are LaTeX', (_, read) => {
    expect(read().equations).toEqual([
      expect.objectContaining({ latex: 'E = m c ^ { 2 }', page: 2 }),
    ]);
  });

  it('of MinerU have the number of their tag', () => {
    const { equations } = readMineru({ middle: mineruMiddle, contentList: null }, pageSizes);
    expect(equations?.[0]?.number).toBe('1');
  });

  it('of Docling count where it has read more than the characters', () => {
    const texts = doclingDocument.texts.map((text) => ({ ...text, text: text.orig }));
    expect(readDoclingDocument({ ...doclingDocument, texts }, pageSizes).equations).toBeUndefined();
  });
});

describe('documents of another form', () => {
  it.each<[string, string, () => unknown]>([
    ['no XML', 'is no XML', () => readGrobidTei('Internal error', pageSizes)],
    [
      'XML that is cut off',
      'is broken XML: it does not close the element',
      () => readGrobidTei(grobidReply.slice(0, 3000), pageSizes),
    ],
    ['other XML', 'is no TEI document of GROBID', () => readGrobidTei('<html/>', pageSizes)],
    [
      'XML that nests without end',
      'is broken XML: it nests',
      () => readGrobidTei('<a>'.repeat(300) + '</a>'.repeat(300), pageSizes),
    ],
    [
      'nothing of MinerU',
      'has neither blocks nor a list of contents',
      () => readMineru({ middle: null, contentList: null }, pageSizes),
    ],
    [
      'another list',
      'is no list of contents of MinerU',
      () => readMineru({ middle: null, contentList: { pages: [] } }, pageSizes),
    ],
    [
      'other blocks',
      'has no blocks of MinerU',
      () => readMineru({ middle: [], contentList: null }, pageSizes),
    ],
    [
      'another document of Docling',
      'is no DoclingDocument',
      () => readDoclingDocument({ schema_name: 'Other' }, pageSizes),
    ],
  ])('are refused: %s', (_, message, read) => {
    expect(read).toThrow(message);
  });

  it('does not expand entities of a document type', () => {
    const bomb =
      '<!DOCTYPE TEI [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/hostname">]>';
    const reply = grobidReply.replace(/<\?xml.*\?>/, bomb).replace('bread &amp; warmth', '&b;&f;');
    expect(readGrobidTei(reply, pageSizes).keywords).toEqual(['ovens', '&b;&f;']);
  });
});

describe('a list in reading order', () => {
  it('has no title where its first heading is one of a section', () => {
    const contentList = mineruContentList.slice(4);
    expect(readMineru({ middle: null, contentList }, pageSizes).title).toBeUndefined();
  });

  it('tells levels without numbers where the parser tells several', () => {
    const heading = (text: string, text_level: number) => ({
      type: 'text',
      text,
      text_level,
      page_idx: 0,
    });
    const contentList = [heading('Ovens', 1), heading('Methods', 1), heading('Heat', 2)];
    const flat = contentList.map((item) => ({ ...item, text_level: 1 }));
    const read = (list: unknown) =>
      outlineOf(readMineru({ middle: null, contentList: list }, pageSizes));
    expect(read(contentList)).toEqual([
      [null, 'Methods', 1],
      [null, 'Heat', 2],
    ]);
    expect(read(flat)).toEqual([
      [null, 'Methods', null],
      [null, 'Heat', null],
    ]);
  });
});
