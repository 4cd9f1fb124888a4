import { describe, expect, it } from 'vitest';
import { addGaps, gapsOfPaper } from '../../../../domain/stores/imports/import-papers.js';
import { usableRows } from '../../../../domain/stores/imports/imported-rows.js';
import type { PaperRows } from '../../../../domain/stores/paper-tables.js';
import { importedRows } from '../../../support/stores/imported-paper.js';

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
