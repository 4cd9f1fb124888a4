import { describe, expect, it } from 'vitest';
import { linesOf, textOf, isFull, type Strip } from '../../../domain/extraction/lines.js';
import { softHyphen } from '../../../domain/extraction/page-content.js';
import { lineOf, type PrintedLine } from '../../support/extraction/pdf-content.js';

/** A piece of a text layer. Characters are 5 points wide, unless the font has another size than 10. */
const strip = (text: string, x: number, y = 100, changes: Partial<PrintedLine> = {}): Strip => {
  const { runs, upright } = lineOf({ text, x, y, ...changes });
  return { runs, upright };
};
/** Pieces that the text layer does not part. */
const row = (...strips: readonly Strip[]): Strip => ({
  upright: true,
  runs: strips.flatMap(({ runs }, index) =>
    runs.map((run, at) => ({ ...run, spaced: index > 0 || at > 0 })),
  ),
});
const textsOf = (...strips: readonly Strip[]): readonly string[] =>
  linesOf(strips).map(({ text }) => text);

describe('the lines of a text layer', () => {
  it('ends a line at a gap between columns or table cells, and starts the next without a space', () => {
    const lines = linesOf([row(strip('Model size', 72), strip('Accuracy', 172))]);
    expect(lines.map(({ text, box }) => [text, box[0]])).toEqual([
      ['Model size', 72],
      ['Accuracy', 172],
    ]);
    expect(lines[1]?.runs[0]?.spaced).toBe(false);
  });

  it('keeps the wide spaces of justified text', () => {
    expect(textsOf(row(strip('a wide', 72), strip('space', 116)))).toEqual(['a wide space']);
  });

  it.each(['1', '2.1', '12.', '[3]', '(a)', 'IV.', '•'])(
    'keeps the label %s with its text',
    (label) => {
      expect(textsOf(row(strip(label, 72), strip('Methods', 112)))).toEqual([`${label} Methods`]);
    },
  );

  it('keeps the label of a caption with it', () => {
    expect(textsOf(row(strip('Table 1:', 72), strip('Speeds', 130)))).toEqual(['Table 1: Speeds']);
  });

  it('keeps a line whose spaces are all stretched alike', () => {
    const words = [strip('Some', 72), strip('words', 110), strip('that', 153), strip('fill', 190)];
    expect(textsOf(row(...words))).toEqual(['Some words that fill']);
    const numbers = [strip('1.25', 72), strip('2.25', 110), strip('3.25', 150), strip('4.2', 190)];
    expect(textsOf(row(...numbers))).toHaveLength(4);
  });

  it('keeps a page number with the dots that lead to it', () => {
    const dots = row(strip('Methods', 72), strip('. . .', 110), strip('12', 160));
    expect(textsOf(dots)).toEqual(['Methods . . . 12']);
  });

  it('keeps the columns of program code in their line', () => {
    const code = { font: 'NimbusMono' };
    const line = row(strip('+', 72, 100, code), strip('x <- 1', 112, 100, code));
    expect(textsOf(line)).toEqual(['+ x <- 1']);
  });

  it('splits text that runs from right to left at the same gaps', () => {
    expect(textsOf(row(strip('אחת', 300), strip('שתי', 280), strip('טור', 100)))).toEqual([
      'אחת שתי',
      'טור',
    ]);
  });

  it('takes raised and lowered marks into their line', () => {
    const small = { fontSize: 6 };
    const marks = [strip('x', 72), strip('2', 77, 96, small), strip('is the square', 84)];
    expect(textsOf(...marks)).toEqual(['x2 is the square']);
    expect(textsOf(strip('H', 72), strip('2', 77, 103, small), strip('O', 80))).toEqual(['H2O']);
    // The ink of a sign is above that of the index before it.
    const sign = strip('-', 85, 94, small);
    const flat = sign.runs.map((run) => ({ ...run, box: [85, 92, 3, 1] as const }));
    const nitrate = [strip('NO', 72), strip('3', 82, 103, small), { ...sign, runs: flat }];
    expect(textsOf(...nitrate)).toEqual(['NO3-']);
  });

  it('starts a new line below, beside the margin and after a broken word', () => {
    expect(textsOf(strip('first', 72), strip('second', 72, 112))).toEqual(['first', 'second']);
    expect(textsOf(strip(`down${softHyphen}`, 72), strip('stream', 97))).toEqual([
      `down${softHyphen}`,
      'stream',
    ]);
  });

  it('keeps turned text apart', () => {
    const stamp = strip('arXiv:1', 77, 100, { upright: false });
    expect(linesOf([strip('a', 72), stamp]).map(({ upright }) => upright)).toEqual([true, false]);
  });

  it('gives a line the size and weight of most of its characters', () => {
    const heading = row(strip('No', 72, 100, { bold: true }), strip('weight', 90));
    expect(linesOf([heading])[0]).toMatchObject({ bold: false, fontSize: 10 });
  });
});

describe('the text of lines', () => {
  it('keeps the cells of a row on one line', () => {
    const rows = [
      row(strip('Model', 72), strip('Accuracy', 172)),
      row(strip('Big', 72, 112), strip('0.9', 172, 112)),
    ];
    expect(textOf(linesOf(rows))).toBe('Model Accuracy\nBig 0.9');
  });

  it('starts a new line at the top of the next column', () => {
    expect(
      textOf([lineOf({ text: 'left', y: 700 }), lineOf({ text: 'right', x: 320, y: 90 })]),
    ).toBe('left\nright');
  });
});

// Characters are 5 points wide, and the longest line of the paragraph has 20.
it.each([
  ['a word that had no place', 'fourteen chars', 'longest of all', true],
  ['a word that had a place', 'fourteen chars', 'has a place here', false],
  ['a name that keeps its number', 'fourteen chars', '(Tab 55) shows it', true],
])('tells whether a paragraph goes on by %s', (_, above, below, goesOn) => {
  expect(isFull(lineOf(above), lineOf(below), 100)).toBe(goesOn);
});
