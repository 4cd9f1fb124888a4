import { describe, expect, it } from 'vitest';
import type { Paper } from '../../../../domain/extraction/paper.js';
import { doubtsOf, partOf, shownPaper } from '../../../../domain/stores/inspection/shown-paper.js';
import { importedRows } from '../../../support/stores/imported-paper.js';
import { readPaper } from '../../../support/stores/kept-paper.js';

const shown = (changes: Partial<Paper> = {}) =>
  shownPaper({ file: 'geese.pdf', paper: readPaper(changes) });

describe('a paper as it is shown', () => {
  it('has an item for all that was read, without what was not', () => {
    const { items } = shown();
    expect(items.map(({ id, page, number }) => [id, page, number])).toEqual([
      ['front-1', 1, null],
      ['section-1', 1, '1'],
      ['section-2', 1, '1.1'],
      ['table-1', 1, '1'],
      ['figure-1', 1, '1'],
      ['equation-1', 1, '1'],
      ['reference-1', 2, '1'],
      ['footnote-1', 1, '1'],
    ]);
    expect(items[0]?.parts.map(({ name }) => name)).toEqual([
      ...['title', 'authors', 'year', 'DOI', 'keywords', 'abstract'],
    ]);
  });

  it('has the name of its file where it has no title', () => {
    expect(shown({ title: null }).title).toBe('geese.pdf');
  });

  it('may come from the rows of an import', () => {
    const { title, pages, items, passages } = shownPaper({
      file: 'geese.pdf',
      rows: importedRows(),
    });
    expect([title, pages.length, passages[0]?.page]).toEqual(['Counting Geese', 2, 1]);
    expect(items.map(({ id, page, number, box }) => [id, page, number, box])).toEqual([
      ['front-1', 1, null, null],
      ['section-1', 1, '1', null],
      ['table-1', 2, null, [72, 100, 200, 50]],
    ]);
    expect(items.map((item) => partOf(item, 'summary'))).toEqual([
      ...['Geese, counted.', '', 'Geese of two ponds.'],
    ]);
  });
});

describe('signs that something is missing', () => {
  it('are none where all is there', () => {
    expect(doubtsOf(shown())).toEqual([]);
  });

  it('are numbers that are skipped or there twice, in each chapter', () => {
    const [figure] = readPaper().figures;
    if (figure === undefined) throw new Error('The paper has a figure.');
    const figures = ['1', '3', '3', '2.2', 'A.1', '1987'].map((number) => ({ ...figure, number }));
    expect(doubtsOf(shown({ figures }))).toEqual([
      { kind: 'numbers-missing', of: 'figure', numbers: ['2', '2.1'] },
      { kind: 'number-twice', of: 'figure', numbers: ['3'] },
    ]);
  });

  it('are pages without text, and parts that an item should have', () => {
    const [first, second] = readPaper().pages;
    if (first === undefined || second === undefined) throw new Error('The paper has two pages.');
    const found = doubtsOf(
      shown({ authors: [], pages: [first, { ...second, text: '', unusable: 'it is damaged' }] }),
    );
    expect(found).toMatchObject([
      { kind: 'page-unusable', page: 2, reason: 'it is damaged' },
      { kind: 'part-missing', of: 'front', part: 'authors' },
    ]);
  });
});
