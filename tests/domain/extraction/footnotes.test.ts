import { describe, expect, it } from 'vitest';
import { bodyPrint } from '../../../domain/extraction/lines.js';
import { findFootnotes } from '../../../domain/extraction/footnotes.js';
import type { PageContent } from '../../../domain/extraction/page-content.js';
import {
  contentOf,
  pageOf,
  type LineSpec,
  type PrintedLine,
} from '../../support/extraction/pdf-content.js';

const body: readonly LineSpec[] = Array.from({ length: 12 }, (_, index) => ({
  text: 'The words of a paragraph fill the line up to its end.',
  y: 400 + index * 12,
}));
const note = (text: string, y: number): PrintedLine => ({ text, y, fontSize: 8 });

/** Lines that begin with a number have it raised by 3 points. */
const notesOf = (
  lines: readonly LineSpec[],
  changes: Partial<PageContent> = {},
  before: readonly PageContent[] = [],
) => {
  const page = pageOf([...body, ...lines], changes);
  const raised = page.lines.map((line) => {
    const [first, ...others] = line.runs;
    return first === undefined || !/^\d+$/.test(first.text)
      ? line
      : { ...line, runs: [{ ...first, baseline: first.baseline - 3 }, ...others] };
  });
  const content = contentOf([...before, { ...page, lines: raised }]);
  return findFootnotes(content, bodyPrint(content));
};

describe('footnotes', () => {
  it('are read from mark to mark, with box and lines', () => {
    const notes = notesOf([
      note('1 The first note goes on', 700),
      note('in a second line.', 710),
      note('2 The second note.', 720),
    ]);
    expect(
      notes.map(({ footnote, lines }) => [footnote.mark, footnote.text, lines.length]),
    ).toEqual([
      ['1', 'The first note goes on in a second line.', 2],
      ['2', 'The second note.', 1],
    ]);
    expect(notes[0]?.footnote).toMatchObject({ page: 1, box: [72, 692.8, 96, 18] });
  });

  it('may have a sign as their mark, and follow a rule without a gap', () => {
    const rules = [[72, 537, 100, 0.4]] as const;
    expect(notesOf([note('† Now elsewhere.', 546)], { rules })).toMatchObject([
      { footnote: { mark: '†', text: 'Now elsewhere.' } },
    ]);
    expect(notesOf([note('† Now elsewhere.', 543)])).toEqual([]);
  });

  it('have no mark where small print on page 1 tells of the paper, but need one on the pages behind it', () => {
    const imprint = [
      note('Preprint submitted to a journal', 700),
      { ...note('March 10, 2020', 700), x: 300 },
    ];
    expect(notesOf(imprint)).toMatchObject([
      { footnote: { mark: '', text: 'Preprint submitted to a journal March 10, 2020' } },
    ]);
    expect(notesOf(imprint, {}, [pageOf(body)])).toEqual([]);
  });

  it.each<[string, readonly LineSpec[]]>([
    ['the foot of an abstract', [note('To sum up, we close', 550), note('with an end.', 560)]],
    ['program code', [{ ...note('print("the end of the page")', 700), font: 'Courier' }]],
    ['small print above the text', [{ text: '1 A small line', y: 300, fontSize: 8 }]],
    ['print in the size of the body', [{ text: '1 A numbered line', y: 700 }]],
  ])('are not %s', (_, lines) => {
    expect(notesOf(lines)).toEqual([]);
  });
});
