import { describe, expect, it } from 'vitest';
import {
  placeLines,
  runningHeads,
  shareOf,
  type PrintedText,
} from '../../../../domain/stores/inspection/place-lines.js';
import { shownPaper } from '../../../../domain/stores/inspection/shown-paper.js';
import { readPaper } from '../../../support/stores/kept-paper.js';

const paper = shownPaper({ file: 'geese.pdf', paper: readPaper() });

/** Lines below one another. */
const linesOf = (...texts: readonly string[]): readonly PrintedText[] =>
  texts.map((text, index) => ({ text, box: [72, 80 + index * 12, 300, 10] }));

const placed = (...texts: readonly string[]): readonly string[] =>
  placeLines(paper, 1, linesOf(...texts)).map(
    ({ item, isHeading, text }) => `${item ?? 'none'}${isHeading ? ' heading' : ''}: ${text}`,
  );

describe('the lines of a page', () => {
  it('are told by the texts of the items, whatever the spaces and hyphens', () => {
    expect(
      placed(
        'Counting Geese',
        'Ada Field, Bo Marsh',
        '1 Ponds',
        'The north pond',
        'held 214 ge-',
        'ese.',
        'Table 1: Geese by pond.',
      ),
    ).toEqual([
      'front-1: Counting Geese\nAda Field, Bo Marsh',
      'section-1 heading: 1 Ponds',
      'section-1: The north pond\nheld 214 ge-\nese.',
      'table-1: Table 1: Geese by pond.',
    ]);
  });

  it('are shown as in no item where none has them', () => {
    expect(placed('The south pond held 96 geese.', '1 Ponds')).toEqual([
      'none: The south pond held 96 geese.',
      'section-1 heading: 1 Ponds',
    ]);
  });

  it('of few letters count only where the text goes on', () => {
    expect(placed('214')).toEqual(['section-1: 214']);
    expect(placed('held 214 geese.', '214')).toEqual(['section-1: held 214 geese.', 'none: 214']);
  });

  it('are left out in boxes, and without letters', () => {
    const inTable: PrintedText = { text: 'not in the cells', box: [80, 310, 90, 10] };
    expect(placeLines(paper, 1, [inTable, ...linesOf('• —')])).toEqual([]);
  });

  it('are part of the same block only where they stand below one another', () => {
    const [first, second] = linesOf('No item', 'has this');
    if (first === undefined || second === undefined) throw new Error('There are two lines.');
    const beside: PrintedText = { ...second, box: [400, 80, 100, 10] };
    expect(placeLines(paper, 1, [first, second])).toHaveLength(1);
    expect(placeLines(paper, 1, [first, beside])).toHaveLength(2);
  });
});

it('takes text as a running head that three pages have, but for its numbers', () => {
  const page = (...texts: readonly string[]) => placeLines(paper, 1, linesOf(...texts));
  const blocks = [3, 4, 5].map((number) => page(`Geese today, page ${number}`));
  expect(runningHeads(blocks).size).toBe(3);
  expect(runningHeads(blocks.slice(1)).size).toBe(0);
});

it('measures text by its letters and digits', () => {
  expect(shareOf([{ text: 'ab 1' }], linesOf('ab 1', '... cde'))).toBe(0.5);
  expect(shareOf([], [])).toBe(0);
});
