import { describe, expect, it } from 'vitest';
import { chunksOf, cutAtHeadings, sectionsOf } from '../../../domain/extraction/chunks.js';
import type { Heading } from '../../../domain/extraction/headings/find-headings.js';
import type { TextLine } from '../../../domain/extraction/page-content.js';
import { joinBrokenWords } from '../../../domain/extraction/text.js';
import { contentOf, type LineSpec } from '../../support/extraction/pdf-content.js';

const heading = (page: number, line: number, changes: Partial<Heading> = {}): Heading => ({
  title: 'Ovens',
  number: null,
  level: 1,
  page,
  line,
  lineCount: 1,
  rest: '',
  ...changes,
});
const flowOf = (
  pages: readonly (readonly LineSpec[])[],
  headings: readonly Heading[] = [],
  isConsumed: (line: TextLine) => boolean = () => false,
) => {
  const content = joinBrokenWords(contentOf(pages));
  const consumed = new Set(content.pages.flatMap(({ lines }) => lines.filter(isConsumed)));
  return cutAtHeadings(content, headings, consumed);
};

/** Page, section and text of each chunk. */
const chunked = (...from: Parameters<typeof flowOf>) =>
  chunksOf(flowOf(...from)).map(({ page, section, text }) => [page, section, text]);

const sentence = (length: number, name = 'x'): string => `A ${name.repeat(length - 3)}.`;

describe('chunks', () => {
  it.each<[string, readonly unknown[], Parameters<typeof flowOf>]>([
    ['hold sentences as long as they fit', [[1, null, 'One. Two.']], [[['One. Two.']]]],
    [
      'end before a sentence that does not fit',
      [
        [1, null, sentence(300)],
        [1, null, sentence(300, 'y')],
      ],
      [[[`${sentence(300)} ${sentence(300, 'y')}`]]],
    ],
    [
      'do not end after an abbreviation',
      [
        [1, null, sentence(200)],
        [1, null, `See Fig. 2 ${sentence(400, 'y')}`],
      ],
      [[[`${sentence(200)} See Fig. 2 ${sentence(400, 'y')}`]]],
    ],
    [
      'end with their section',
      [
        [1, null, 'before'],
        [1, 0, 'in it'],
        [1, 1, 'in the next'],
      ],
      [[['before', 'Ovens', 'in it', 'Ovens', 'in the next']], [heading(0, 1), heading(0, 3)]],
    ],
    [
      'begin anew with a sentence on the next page',
      [
        [1, null, 'One. Two goes on. '.trim()],
        [2, null, 'Three.'],
      ],
      [[['One. Two'], ['goes on. Three.']]],
    ],
    [
      'begin with the text after a run-in heading',
      [[1, 0, 'are hot.']],
      [[['Ovens. are hot.']], [heading(0, 0, { rest: 'are hot.' })]],
    ],
    [
      'leave lines with a place of their own out',
      [[1, null, 'text goes on']],
      [[['text', 'Figure 1: Ovens', 'goes on']], [], ({ text }) => text.startsWith('Figure')],
    ],
    [
      'keep the lines of listings apart',
      [[1, null, 'bake(1)\nbake(2)']],
      [
        [
          [
            { text: 'bake(1)', font: 'Mono' },
            { text: 'bake(2)', font: 'Mono' },
          ],
        ],
      ],
    ],
    ['are none of nothing', [], [[[]]]],
  ])('%s', (_, chunks, from) => {
    expect(chunked(...from)).toEqual(chunks);
  });

  it('cut a sentence that is too long at a word', () => {
    const words = Array.from({ length: 200 }, (_, index) => `word${index}`);
    const chunks = chunksOf(flowOf([[words.join(' ')]]));
    expect(chunks.map(({ text }) => text).join(' ')).toBe(words.join(' '));
    expect(Math.max(...chunks.map(({ text }) => text.length))).toBeLessThanOrEqual(512);
  });
});

describe('sections', () => {
  it('know the section they belong to', () => {
    const headings = [1, 2, 3, 2, 1].map((level, line) => heading(0, line, { level }));
    const flow = flowOf([headings.map(() => 'Ovens')], headings);
    expect(sectionsOf(headings, flow).map(({ parent }) => parent)).toEqual([null, 0, 1, 0, null]);
  });

  it('keep a word whole over the end of a page', () => {
    const headings = [heading(0, 0)];
    const flow = flowOf([['Ovens', 'are used for bak\u00AD'], ['ing bread']], headings);
    expect(sectionsOf(headings, flow)).toMatchObject([
      { text: 'are used for baking\nbread', pages: [1, 2] },
    ]);
  });
});
