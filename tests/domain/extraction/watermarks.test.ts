import { describe, expect, it } from 'vitest';
import { extractPaper } from '../../../domain/extraction/extract-paper.js';
import type { TextLine } from '../../../domain/extraction/page-content.js';
import { contentOf, lineOf, pageOf, type LineSpec } from '../../support/extraction/pdf-content.js';

const text = (page: number): readonly string[] =>
  Array.from(
    { length: 20 },
    (_, row) => `Row ${row} of page ${page} says that ovens are hot at night.`,
  );
const pageWith = (page: number, ...others: readonly TextLine[]) => {
  const { lines, ...rest } = pageOf(text(page));
  return { ...rest, lines: [...lines, ...others] };
};
const aslant = (mark: string, fontSize: number): TextLine => ({
  ...lineOf({ text: mark, fontSize, upright: false }),
  box: [100, 150, 400, 400],
});
const level = (spec: Exclude<LineSpec, string>): TextLine => lineOf(spec);

describe('watermarks', () => {
  it.each<[string, number, TextLine]>([
    ['aslant on one page', 1, aslant('CONFIDENTIAL DRAFT', 60)],
    ['aslant and small on all pages', 3, aslant('for review only', 10)],
    ['level over the text', 1, level({ text: 'PREPRINT', x: 150, y: 250, fontSize: 48 })],
    [
      'level and as large as text, apart on all pages',
      2,
      level({ text: 'Not yet reviewed', x: 200, y: 580 }),
    ],
  ])('are left out: %s', (_, pages, mark) => {
    const content = contentOf(Array.from({ length: pages }, (__, page) => pageWith(page, mark)));
    const paper = extractPaper(content);
    const plain = extractPaper(
      contentOf(Array.from({ length: pages }, (__, page) => pageWith(page))),
    );
    expect(paper).toEqual(plain);
  });

  it.each<[string, number, readonly TextLine[]]>([
    ['small labels aslant in a figure', 1, [aslant('January', 7)]],
    [
      'cells that two pages have at one place',
      2,
      [level({ text: 'Station', x: 72, y: 580 }), level({ text: 'Year', x: 200, y: 580 })],
    ],
    ['a large title of one page', 1, [level({ text: 'Ovens', x: 72, y: 580, fontSize: 20 })]],
  ])('are none: %s', (_, pages, lines) => {
    const paper = extractPaper(
      contentOf(Array.from({ length: pages }, (__, page) => pageWith(page, ...lines))),
    );
    for (const line of lines) expect(paper.pages[0]?.text).toContain(line.text);
  });
});
