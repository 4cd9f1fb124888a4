import { describe, expect, it } from 'vitest';
import { bodyPrint } from '../../../domain/extraction/lines.js';
import { findHeadings } from '../../../domain/extraction/headings/find-headings.js';
import type { PdfContent } from '../../../domain/extraction/page-content.js';
import {
  contentOf,
  outlineEntry as entry,
  type LineSpec,
  type PrintedLine,
} from '../../support/extraction/pdf-content.js';

const text = 'Ovens of small bakeries are heated with wood in most of the countries.';
const paragraph = [text, text, text];
const section = (title: string): PrintedLine => ({ text: title, fontSize: 14, bold: true });
const emphasis: PrintedLine = { text: 'Never open the oven.', bold: true };
const subsection = (title: string): PrintedLine => ({ text: title, fontSize: 12, bold: true });

const headingsIn = (content: PdfContent) => findHeadings(content, bodyPrint(content), new Set());
/** Level, number and title of each heading. */
const headingsOf = (content: PdfContent) =>
  headingsIn(content).map(({ level, number, title }) => [level, number, title]);

/** Lines of a page; those with a space above stand 15 points further down. */
function spaced(...blocks: readonly (readonly LineSpec[])[]): readonly LineSpec[] {
  let y = 60;
  return blocks.flatMap((block) => {
    y += 15;
    return block.map((line): LineSpec => {
      y += 12;
      return { ...(typeof line === 'string' ? { text: line } : line), y };
    });
  });
}

describe('headings by their print', () => {
  it.each<[string, readonly LineSpec[], readonly unknown[]]>([
    [
      'have a level by their number',
      spaced(
        [section('1 Data')],
        paragraph,
        [subsection('1.1 Flour')],
        paragraph,
        [section('2. Heat')],
        paragraph,
      ),
      [
        [1, '1', 'Data'],
        [2, '1.1', 'Flour'],
        [1, '2', 'Heat'],
      ],
    ],
    [
      'have the level of others in their type without a number',
      spaced(
        [section('1 Data')],
        paragraph,
        [subsection('1.1 Flour')],
        paragraph,
        [subsection('Dough')],
        paragraph,
      ),
      [
        [1, '1', 'Data'],
        [2, '1.1', 'Flour'],
        [2, null, 'Dough'],
      ],
    ],
    [
      'go on in appendices',
      spaced(
        [section('1 Data')],
        paragraph,
        [section('A Proofs')],
        paragraph,
        [subsection('A.1 Heat')],
        paragraph,
      ),
      [
        [1, '1', 'Data'],
        [1, 'A', 'Proofs'],
        [2, 'A.1', 'Heat'],
      ],
    ],
    [
      'may have Roman numbers with letters below',
      spaced(
        [section('I. Data')],
        paragraph,
        [subsection('A. Flour')],
        paragraph,
        [subsection('B. Salt')],
        paragraph,
        [section('II. Heat')],
        paragraph,
        [subsection('A. Wood')],
        paragraph,
      ),
      [
        [1, 'I', 'Data'],
        [2, 'A', 'Flour'],
        [2, 'B', 'Salt'],
        [1, 'II', 'Heat'],
        [2, 'A', 'Wood'],
      ],
    ],
    [
      'may have several lines',
      spaced(
        [section('1 On the ovens'), { ...section('of small bakeries') }],
        paragraph,
        [section('2 Heat')],
        paragraph,
      ),
      [
        [1, '1', 'On the ovens of small bakeries'],
        [1, '2', 'Heat'],
      ],
    ],
    [
      'are known by their words alone',
      spaced(paragraph, ['References'], paragraph),
      [[1, null, 'References']],
    ],
    [
      'are no items of a list',
      spaced(
        [section('1 Data')],
        paragraph,
        ['1. Flour is sold by weight, as it settles in the bag.'],
        ['2. Salt is sold by weight as well.'],
        paragraph,
        [section('2 Heat')],
        paragraph,
      ),
      [
        [1, '1', 'Data'],
        [1, '2', 'Heat'],
      ],
    ],
    [
      'are no entries of a table of contents',
      spaced(
        [section('Contents')],
        ['1 Data . . . . . . . . . 1', '2 Heat . . . . . . . . . 4'],
        [section('1 Data')],
        paragraph,
        [section('2 Heat')],
        paragraph,
      ),
      [
        [1, null, 'Contents'],
        [1, '1', 'Data'],
        [1, '2', 'Heat'],
      ],
    ],
    [
      'are no bold text in a paragraph',
      spaced([section('1 Data')], [text, emphasis, text], [section('2 Heat')], paragraph),
      [
        [1, '1', 'Data'],
        [1, '2', 'Heat'],
      ],
    ],
  ])('%s', (_, lines, headings) => {
    expect(headingsOf(contentOf([[...lines]]))).toEqual(headings);
  });
});

describe('headings of an outline', () => {
  const lines = spaced(
    [section('1 Data')],
    paragraph,
    [section('Heat')],
    paragraph,
    [subsection('2.1 Wood')],
    paragraph,
  );

  it.each([
    [
      'have the number that is printed',
      [entry('Data', 1), entry('Heat', 1)],
      [
        [1, '1', 'Data'],
        [1, null, 'Heat'],
      ],
    ],
    [
      'are joined with printed ones in their type',
      [entry('Data', 1)],
      [
        [1, '1', 'Data'],
        [1, null, 'Heat'],
      ],
    ],
    [
      'do not count the title above them',
      [
        entry('A Study of Ovens', 1),
        entry('Data', 1, { level: 2 }),
        entry('Heat', 1, { level: 2 }),
      ],
      [
        [1, '1', 'Data'],
        [1, null, 'Heat'],
      ],
    ],
    [
      'are none that no line prints',
      [entry('Data', 1), entry('Heat', 1), entry('Cover picture', 1, { y: 100 })],
      [
        [1, '1', 'Data'],
        [1, null, 'Heat'],
      ],
    ],
    [
      'have the letters that the print has lost',
      [entry('Data fi', 1), entry('Heat', 1)],
      [
        [1, '1', 'Data fi'],
        [1, null, 'Heat'],
      ],
    ],
  ])('%s', (_, outline, headings) => {
    expect(headingsOf(contentOf([[...lines]], { outline })).slice(0, 2)).toEqual(headings);
  });

  it('are found where the outline points to, not at a word like them', () => {
    const like = contentOf([['Heat', text, ...lines]], { outline: [entry('Heat', 1, { y: 180 })] });
    expect(headingsIn(like).map(({ line }) => line)).not.toContain(0);
  });
});
