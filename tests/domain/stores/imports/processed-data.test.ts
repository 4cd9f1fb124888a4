import { describe, expect, it } from 'vitest';
import { extractPaper } from '../../../../domain/extraction/extract-paper.js';
import { addGaps, gapsOfPaper } from '../../../../domain/stores/ingestion.js';
import {
  metadataRow,
  processedRows,
  usableRows,
} from '../../../../domain/stores/imports/processed-data.js';
import { pageItemId } from '../../../../domain/stores/paper-rows.js';
import type { PaperRows } from '../../../../domain/stores/paper-tables.js';
import { contentOf } from '../../../support/extraction/pdf-content.js';
import { importedRows } from '../../../support/stores/imported-paper.js';

const paperId = 'a3a0b636-d0ab-5dab-a2c3-49f666755896';
const read = extractPaper(
  contentOf([
    ['The north pond held 214 geese.'],
    ['The south pond held 96 geese.', 'Field, A. Geese at dusk. 2020.'],
  ]),
);
const metadata = {
  ...{ uuid: paperId, title: 'Counting Geese', conference: 'MOB', year: 2023, volume: null },
  ...{ authors: ['Ada Field'], num_pages: 2, pdf_url: 'https://example.org/geese.pdf' },
  ...{ pdf_path: 'data/papers/mob2023/geese.pdf', abstract: '', tldr: 'Geese, counted.' },
};
const processed = {
  pdf_path: 'geese.pdf',
  info_from_mineru: {
    tables: [
      {
        ...{ table_caption: 'Table 1: Geese.', table_html: '<table></table>' },
        ...{ table_bbox: [72.2, 100, 271.6, 150], page_number: 2 },
      },
      { table_caption: '', table_html: '', table_bbox: [0, 0, 1, 1], page_number: 9 },
    ],
    figures: [
      {
        ...{ figure_caption: 'Figure 1: A goose.', figure_path: 'goose.png' },
        ...{ figure_bbox: [10, 20, 30, 60], page_number: 1 },
      },
    ],
    equations: [
      { equation_text: ' ', page_number: 1 },
      { equation_text: 'n = 310', page_number: 1 },
    ],
    references: [
      { reference_text: 'Field, A. Geese at Dusk. 2020.' },
      { reference_text: 'Marsh, B. Swans. 1999.' },
    ],
    TOC: [{ title: '1 Ponds', level: 1, text: 'Two ponds.', page_number: 1, page_numbers: [1, 2] }],
  },
  summary: {
    page_summary: ['Many geese.', 'NO SUMMARY'],
    section_summary: ['Ponds.'],
    table_summary: [[], ['Geese of two ponds.']],
    image_summary: [['A goose.'], []],
  },
};

const rowsOf = (json: unknown, description: unknown = metadata) =>
  processedRows(
    {
      ...{ paperId, rows: null, pdf: 'geese.pdf' },
      metadata: description === null ? null : JSON.stringify(description),
      processed: typeof json === 'string' ? json : JSON.stringify(json),
    },
    read,
    'papers/mob2023/geese.pdf',
  );

describe('a paper by its processed data', () => {
  const described = rowsOf(processed);
  if ('reason' in described) throw new Error(described.reason);
  const { rows, gaps } = described;

  it('has its pages and passages from the PDF', () => {
    expect(rows.pages.map((page) => [page.ref_paper_id, page.page_content])).toEqual(
      read.pages.map((page) => [paperId, page.text]),
    );
    expect(rows.chunks.length).toBe(read.chunks.length);
  });

  it('has its other rows with the ids, boxes and summaries of their positions', () => {
    expect(rows.tables).toMatchObject([
      {
        ...{ table_id: pageItemId(paperId, 2, 'table', 1), table_summary: 'Geese of two ponds.' },
        bounding_box: [72, 100, 200, 50],
      },
    ]);
    expect(rows.images).toMatchObject([
      { image_summary: 'A goose.', bounding_box: [10, 20, 20, 40] },
    ]);
    expect(rows.equations).toMatchObject([
      { equation_id: pageItemId(paperId, 1, 'equation', 2), equation_content: 'n = 310' },
    ]);
    expect(rows.sections).toMatchObject([
      { section_title: '1 Ponds', section_summary: 'Ponds.', page_numbers: [1, 2] },
    ]);
    expect(rows.pages.map((page) => page.page_summary)).toEqual(['Many geese.', null]);
  });

  it('has the page of a reference where its text stands on one', () => {
    const [, second] = rows.pages;
    expect(rows.reference.map((entry) => entry.ref_page_id)).toEqual([second?.page_id, null]);
  });

  it('has the row of its metadata, without what that leaves open', () => {
    expect(rows.metadata).toMatchObject([
      {
        ...{ paper_id: paperId, title: 'Counting Geese', abstract: null, volume: null },
        ...{ conference_abbreviation: 'MOB', pub_year: 2023, pdf_path: 'geese.pdf', tags: [] },
      },
    ]);
    const without = rowsOf(processed, null);
    expect('rows' in without && without.rows.metadata[0]?.paper_id).toBe(paperId);
  });

  it('says what its PDF does not have', () => {
    expect(gaps).toMatchObject({ rows: 1, 'pages-of-rows': 1, pages: 0 });
  });

  it.each([
    ['no JSON', '{', undefined, /processed_data\/.*json does not describe a paper: /],
    ['JSON of another kind', { tables: [] }, undefined, /info_from_mineru/],
    ['metadata of another kind', processed, { uuid: paperId }, /metadata\/.*json .*: title/],
  ])('is refused for %s', (_, json, description, sentence) => {
    expect(rowsOf(json, description)).toEqual({
      reason: expect.stringMatching(sentence) as unknown,
    });
  });
});

it('refuses metadata that is no JSON', () => {
  expect(metadataRow(paperId, '[')).toHaveProperty('reason');
});

const found = importedRows();
const [chunk] = found.chunks;
const [table] = found.tables;
if (!chunk || !table) throw new Error('the paper has neither passages nor tables');

const gapsOf = (rows: PaperRows) =>
  Object.entries(usableRows(rows).gaps).filter(([, count]) => count > 0);

describe('the rows of an imported paper', () => {
  it('stay as they are, but for boxes of tables and the path of the PDF', () => {
    const rows = {
      ...found,
      metadata: found.metadata.map((row) => ({
        ...row,
        pdf_path: 'data/papers/mob2023/geese.pdf',
      })),
      tables: [{ ...table, bounding_box: [72, 100, 272, 150] as const }],
    };
    expect(usableRows(rows).rows).toEqual(found);
    expect(gapsOf(rows)).toEqual([]);
  });

  it('keep what the other system has cut, and say so', () => {
    const cut = `${'goose '.repeat(2_666)}geos ...`;
    const rows = { ...found, chunks: [{ ...chunk, text_content: cut }] };
    expect(usableRows(rows).rows.chunks[0]?.text_content).toBe(cut);
    expect(gapsOf(rows)).toEqual([['ends-of-texts', 1]]);
  });

  it.each<[string, Partial<PaperRows>, [string, number]]>([
    ['a row without its key', { chunks: [chunk, { ...chunk, chunk_id: null }] }, ['rows', 1]],
    ['a row twice', { chunks: [chunk, chunk] }, ['rows', 1]],
    ['pages that are missing', { pages: found.pages.slice(1) }, ['pages', 1]],
    ['passages that are missing', { chunks: [] }, ['chunks', 1]],
    ['sections that are missing', { sections: [] }, ['sections', 1]],
  ])('have a gap for %s', (_, changes, gap) => {
    expect(gapsOf({ ...found, ...changes })).toContainEqual(gap);
  });

  it('lose a page that is missing', () => {
    const { rows, gaps } = usableRows({ ...found, pages: found.pages.slice(1) });
    expect(rows.chunks).toEqual([{ ...chunk, ref_page_id: null }]);
    expect(rows.tables).toEqual([{ ...table, bounding_box: [72, 100, 128, -50] }]);
    expect(gaps['pages-of-rows']).toBe(1);
  });
});

it('adds the gaps of papers by kind', () => {
  const one = gapsOfPaper('one', { pages: 2, pdf: 0 });
  const other = gapsOfPaper('other', { pages: 3, rows: 1 });
  expect(addGaps(one, other)).toEqual([
    { kind: 'pages', count: 5, papers: 2, example: 'one' },
    { kind: 'rows', count: 1, papers: 1, example: 'other' },
  ]);
});
