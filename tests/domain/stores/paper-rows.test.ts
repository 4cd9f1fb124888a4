import { describe, expect, it } from 'vitest';
import { encodableCells } from '../../../domain/stores/database-schema.js';
import {
  contentPaperId,
  normalizeTitle,
  pageItemId,
  paperId,
  paperRows,
} from '../../../domain/stores/paper-rows.js';
import type { PaperRows } from '../../../domain/stores/paper-tables.js';
import { extractPaper } from '../../../domain/extraction/extract-paper.js';
import type { PdfContent } from '../../../domain/extraction/page-content.js';
import {
  contentOf,
  pageOf,
  type LineSpec,
  type PrintedLine,
} from '../../support/extraction/pdf-content.js';
import { importedRows } from '../../support/stores/imported-paper.js';

describe('ids of papers', () => {
  // Ids made by the reference system.
  it.each([
    [
      'NewsBench: A Systematic Evaluation Framework for Assessing Editorial Capabilities of Large Language Models in Chinese Journalism',
      'acl2024',
      'a3a0b636-d0ab-5dab-a2c3-49f666755896',
    ],
    [
      'YNU-HPCC at WASSA-2023 Shared Task 1: Large-scale Language Model with LoRA Fine-Tuning for Empathy Detection and Emotion Classification',
      'acl2023',
      'b498ac0f-d8db-56e7-8809-1ef9c7e25e02',
    ],
  ])('gives %s of %s the published id', (title, venue, id) => {
    expect(paperId(title, venue)).toBe(id);
  });

  it('gives a passage the published id', () => {
    expect(pageItemId('fa4750b4-6bb2-519b-9b06-e06dae6f9023', 18, 'chunk', 2)).toBe(
      '3cf69c43-ba35-5207-9546-ee571efebf1e',
    );
  });

  it('does not depend on how the title is set', () => {
    expect(paperId('A  Study, of\nOvens!')).toBe(paperId('a study of ovens'));
  });

  it('leaves nothing of a title without Latin letters and digits', () => {
    expect(normalizeTitle('Ω — 研究')).toBe('');
  });

  it('refuses a venue that is not letters and digits', () => {
    expect(() => paperId('A title', 'ACL 2023')).toThrow(RangeError);
  });
});

const properties = { title: 'A Study of Ovens', author: '', keywords: '' };

const documentOf = (
  pages: readonly (readonly LineSpec[])[],
  changes: Partial<PdfContent> = {},
): PdfContent =>
  contentOf(
    pages.map((lines) => pageOf(lines, { width: 612.4, height: 791.6 })),
    { properties, ...changes },
  );

const rowsOf = (content: PdfContent) =>
  paperRows({ file: 'ovens.pdf', sha256: 'a'.repeat(64), paper: extractPaper(content) });

describe('a paper whose title another paper of its store has', () => {
  const read = {
    file: 'ovens.pdf',
    sha256: 'a'.repeat(64),
    paper: { ...extractPaper(documentOf([['first', 'page']])), title: 'A Study of Ovens' },
  };
  const ofTitle = paperId('A Study of Ovens');
  const ofContent = contentPaperId({ paperId: ofTitle, sha256: read.sha256 });

  it('keeps the id made from its content, in all of its rows', () => {
    const { metadata, pages, chunks } = paperRows(read, ofContent);
    expect(metadata[0]?.paper_id).toBe(ofContent);
    expect([...pages, ...chunks].map((row) => row.ref_paper_id)).toEqual([ofContent, ofContent]);
    expect(chunks[0]?.chunk_id).toBe(pageItemId(ofContent, 1, 'chunk', 1));
  });

  it('has the id of its title if it is held under any other one', () => {
    const other = contentPaperId({ paperId: ofTitle, sha256: 'b'.repeat(64) });
    expect(paperRows(read, other).metadata[0]?.paper_id).toBe(ofTitle);
    expect(paperRows(read).metadata[0]?.paper_id).toBe(ofTitle);
  });
});

describe('an imported paper', () => {
  const rows = importedRows();
  const kept = {
    imported: 1,
    file: 'geese.pdf',
    path: null,
    sha256: 'a'.repeat(64),
    rows,
  } as const;
  const [{ paper_id: own } = {}] = rows.metadata;

  it('keeps its rows and ids as they are', () => {
    expect(paperRows(kept)).toBe(rows);
    expect(paperRows(kept, own ?? '')).toBe(rows);
  });

  it('has other ids throughout, and the same references between rows, beside another of its id', () => {
    const ofContent = contentPaperId({ paperId: own ?? '', sha256: kept.sha256 });
    const other = paperRows(kept, ofContent);
    expect(other.metadata).toEqual([{ ...rows.metadata[0], paper_id: ofContent }]);
    expect(other.pages.map((page) => page.ref_paper_id)).toEqual([ofContent, ofContent]);
    expect(other.tables[0]?.ref_page_id).toBe(other.pages[1]?.page_id);
    const ids = (each: PaperRows) => each.pages.map((page) => page.page_id);
    expect(new Set([...ids(rows), ...ids(other)]).size).toBe(4);
  });
});

const heading = (title: string): PrintedLine => ({ text: title, fontSize: 12, bold: true });

const sectionsOf = (content: PdfContent) =>
  rowsOf(content).sections.map((s) => [s.section_title, s.section_content, s.page_numbers]);

const longLine = 'Ovens of small bakeries are heated with wood in most of the countries.';

describe('sections', () => {
  it('have their number before the title', () => {
    const pages = [
      ['preface', heading('1 Introduction'), longLine, heading('2 Method'), 'how'],
      ['what', heading('References')],
    ];
    expect(sectionsOf(documentOf(pages))).toEqual([
      ['1 Introduction', longLine, [1]],
      ['2 Method', 'how\nwhat', [1, 2]],
      ['References', '', [2]],
    ]);
  });
});

describe('metadata', () => {
  const metadataOf = (content: PdfContent) => rowsOf(content).metadata[0];
  const properties = { title: '', author: '', keywords: '' };

  it.each([
    ['', 'no title'],
    ['Microsoft Word - final2.docx', "a program's title"],
    ['untitled', 'a placeholder'],
  ])("reads the title off the page where the properties say '%s', %s", (title) => {
    const document = documentOf(
      [
        [
          { text: 'arXiv:2601.00001', fontSize: 30, upright: false },
          { text: 'Ovens', fontSize: 17 },
          { text: 'at Night', fontSize: 17.2 },
          'Cy Baker',
          'We bake bread at night in a small town, and count what it costs.',
        ],
      ],
      { properties: { ...properties, title } },
    );
    expect(metadataOf(document)?.title).toBe('Ovens at Night');
  });

  it('names a paper without any title by its file, and tells papers without Latin titles apart', () => {
    const untitled = documentOf([['12.5']], { properties });
    expect(metadataOf(untitled)?.title).toBe('ovens.pdf');
    const greek = documentOf([[]], { properties: { ...properties, title: 'Ωμέγα' } });
    expect(metadataOf(greek)?.paper_id).toBe(paperId('a'.repeat(64)));
  });

  it('splits the authors and keywords that the properties of a paper without text state', () => {
    const document = documentOf([[]], {
      properties: { title: 'T one', author: 'A. Field, Bo Marsh and Cy Baker', keywords: 'x; y,z' },
    });
    expect(metadataOf(document)).toMatchObject({
      authors: ['A. Field', 'Bo Marsh', 'Cy Baker'],
      tags: ['x', 'y', 'z'],
    });
  });

  it.each<[string, readonly LineSpec[], string | null]>([
    [
      'under its heading',
      [heading('Abstract'), 'we', 'bake', heading('1 Introduction')],
      'we bake',
    ],
    ['beside its heading', ['Abstract—We bake', 'Index Terms—ovens'], 'We bake'],
    ['nowhere', ['we bake'], null],
  ])('finds the abstract %s', (_, lines, abstract) => {
    expect(metadataOf(documentOf([lines]))?.abstract).toBe(abstract);
  });

  it('names the venue and the preprint that page 1 prints, and keeps the id of the title', () => {
    const document = documentOf([
      [
        { text: 'Ovens at Night', fontSize: 17 },
        { text: '3rd Conference on Bread (BREAD 2024), pages 1–9', y: 770, fontSize: 8 },
        { text: 'arXiv:2401.00001v2', x: 20, y: 600, upright: false },
      ],
    ]);
    expect(metadataOf(document)).toMatchObject({
      paper_id: paperId('Ovens at Night'),
      conference_full: '3rd Conference on Bread',
      conference_abbreviation: 'BREAD',
      download_url: 'https://arxiv.org/pdf/2401.00001v2',
    });
  });

  it('says what it does not know', () => {
    expect(metadataOf(documentOf([['text']]))).toMatchObject({
      conference_full: 'uncategorized',
      conference_abbreviation: 'uncategorized',
      download_url: null,
      bibtex: null,
      pub_year: null,
      pdf_path: 'ovens.pdf',
      num_pages: 1,
    });
  });
});

describe('pages and passages', () => {
  it('joins words broken at line ends, with a hyphen where the paper writes one', () => {
    const document = documentOf([
      ['a down\u00AD', 'stream task-specific goal', 'of task\u00AD', 'specific work\u00AD'],
    ]);
    expect(rowsOf(document).pages[0]?.page_content).toBe(
      'a downstream\ntask-specific goal\nof task-specific\nwork-',
    );
  });

  it('counts pages from 1, passages of a page from 0 and rounds sizes', () => {
    const { pages, chunks } = rowsOf(documentOf([['x'.repeat(600)], [], ['z']]));
    expect(pages.map((page) => [page.page_number, page.page_width, page.page_height])).toEqual([
      [1, 612, 792],
      [2, 612, 792],
      [3, 612, 792],
    ]);
    expect(chunks.map((chunk) => [chunk.ref_page_id, chunk.ordinal])).toEqual([
      [pages[0]?.page_id, 0],
      [pages[0]?.page_id, 1],
      [pages[2]?.page_id, 0],
    ]);
  });

  it('keeps long texts whole', () => {
    const line = 'word '.repeat(10_000).trim();
    expect(rowsOf(documentOf([[line]])).pages[0]?.page_content).toBe(line);
  });
});

it('encodes every text cell with the page it is on', () => {
  const rows = rowsOf(documentOf([['abc'], [heading('1 Introduction'), 'def']]));
  const cells = encodableCells(rows).map((c) => [c.table, c.column, c.pageNumber, c.text]);
  expect(cells).toEqual([
    ['metadata', 'title', -1, 'ovens.pdf'],
    ['pages', 'page_content', 1, 'abc'],
    ['pages', 'page_content', 2, '1 Introduction\ndef'],
    ['chunks', 'text_content', 1, 'abc'],
    ['chunks', 'text_content', 2, 'def'],
    ['sections', 'section_title', -1, '1 Introduction'],
    ['sections', 'section_content', -1, 'def'],
  ]);
});
