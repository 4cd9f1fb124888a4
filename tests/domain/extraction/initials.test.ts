// cspell:ignore ealised lthough
import { describe, expect, it } from 'vitest';
import { withInitials } from '../../../domain/extraction/initials.js';
import { linesOf } from '../../../domain/extraction/lines.js';
import {
  contentOf,
  lineOf,
  pageOf,
  type PrintedLine,
} from '../../support/extraction/pdf-content.js';

const [left, top, pitch] = [72, 100, 12];
const rows = [
  'over many winters, the survey was',
  'made at night in the bay of the',
  'station, and it counts in a year',
  'the ships that realised a survey',
];

interface Initial extends Partial<PrintedLine> {
  /** Lines beside it; 0 where it stands on the first line. */
  readonly high: number;
  /** Where the text layer has it. */
  readonly within?: 'own line' | 'first line' | 'last line';
}

/** A paragraph whose first lines stand right of a large initial. */
function shown(
  letter: string,
  word: string,
  { high, within = 'own line', ...print }: Initial,
): string {
  const fontSize = Math.max(2, high) * 12;
  const baseline = top + Math.max(0, high - 1) * pitch;
  const large = lineOf({ text: letter, x: left, y: baseline, fontSize, ...print });
  // The ink of a capital reaches as high as that of the line beside it.
  const initial = large.runs.map((run) => ({
    ...run,
    box: [
      run.box[0],
      high === 0 ? baseline - 17 : top - 9,
      run.box[2],
      baseline - top + 9,
    ] as const,
  }));
  const indent = left + (letter.length * fontSize) / 2 + 2;
  const lines = rows.map((text, row) =>
    lineOf({
      text: row === 0 ? `${word} ${text}` : text,
      x: row < Math.max(1, high) ? indent : left,
      y: top + row * pitch,
    }),
  );
  const at = within === 'last line' ? high - 1 : 0;
  const strips = lines.map(({ runs }, row) => ({
    upright: true,
    runs:
      within !== 'own line' && row === at
        ? [...initial, ...runs.map((run) => ({ ...run, spaced: true }))]
        : runs,
  }));
  const all = within === 'own line' ? [{ upright: true, runs: initial }, ...strips] : strips;
  const content = contentOf([{ ...pageOf([]), lines: linesOf(all) }]);
  return withInitials(content).pages[0]?.lines[0]?.text ?? '';
}

describe('large initials', () => {
  it.each<[string, string, string, Initial]>([
    ['over two lines', 'R', 'ealised', { high: 2 }],
    ['over three lines', 'R', 'ealised', { high: 3 }],
    ['within its first line', 'R', 'ealised', { high: 2, within: 'first line' }],
    ['within its last line', 'R', 'ealised', { high: 3, within: 'last line' }],
    ['on the first line', 'R', 'ealised', { high: 0, within: 'first line' }],
    ['in front of capitals', 'R', 'EALISED', { high: 2 }],
    ['with a quotation mark', '“R', 'ealised', { high: 2 }],
    ['in another font', 'R', 'ealised', { high: 2, font: 'Sans', bold: true }],
    ['that is no word by itself', 'A', 'lthough', { high: 2 }],
  ])('are parts of their word: %s', (_, letter, word, initial) => {
    expect(shown(letter, word, initial)).toBe(`${letter}${word} ${rows[0]}`);
  });

  it('are words where the rest is one', () => {
    expect(shown('A', 'survey', { high: 2 })).toBe(`A survey ${rows[0]}`);
    expect(shown('“A', 'German', { high: 2 })).toBe(`“A German ${rows[0]}`);
  });

  it('are none beside labels', () => {
    const label = { text: 'B', x: left, y: top + 3, fontSize: 24 };
    const content = contentOf([[label, { text: 'Time since baking', x: 98, y: top }, ...rows]]);
    expect(withInitials(content)).toEqual(content);
  });
});
