import { describe, expect, it } from 'vitest';
import { bodyPrint } from '../../../domain/extraction/lines.js';
import { findCaptions } from '../../../domain/extraction/captions.js';
import type { PageContent } from '../../../domain/extraction/page-content.js';
import { contentOf, pageOf, type LineSpec } from '../../support/extraction/pdf-content.js';

const captionsOn = (page: PageContent) => {
  const content = contentOf([page]);
  return findCaptions(content, bodyPrint(content));
};
const captionsOf = (lines: readonly LineSpec[], changes: Partial<PageContent> = {}) =>
  captionsOn(pageOf([...prose, ...lines], changes));

/** A column of running text: 60 characters of 10 points are 300 points wide. */
const prose: readonly LineSpec[] = [
  'The rates were measured on one machine with two busy cores, ',
  'and every run was repeated until its interval was narrow, or',
  'until the budget of the day was spent, which happened twice.',
].map((text, index) => ({ text: text.padEnd(60, 'x'), y: 100 + index * 12 }));

describe('labels of captions', () => {
  it.each([
    ['Figure 1: Rates by hour.', 'figure', 'Figure 1', '1'],
    ['Fig. 2. Rates by hour.', 'figure', 'Fig. 2', '2'],
    ['FIG. 2. Rates by hour.', 'figure', 'FIG. 2', '2'],
    ['Table 3 — Rates by hour', 'table', 'Table 3', '3'],
    ['Table 3 | Rates by hour', 'table', 'Table 3', '3'],
    ['Table A.1: Rates by hour', 'table', 'Table A.1', 'A.1'],
    ['Figure S4. Rates by hour', 'figure', 'Figure S4', 'S4'],
    ['Supplementary Figure 4. Rates by hour', 'figure', 'Supplementary Figure 4', '4'],
    ['Figure 2.10: Rates by hour', 'figure', 'Figure 2.10', '2.10'],
    ['TABLE IV: Rates by hour', 'table', 'TABLE IV', 'IV'],
    ['T ABLE IV: Rates by hour', 'table', 'T ABLE IV', 'IV'],
    ['Table 5 Rates by hour', 'table', 'Table 5', '5'],
    ['Table 5 (continued)', 'table', 'Table 5', '5'],
    ['table 3: Rates by hour', 'table', 'table 3', '3'],
    ['tABLE 3. Rates by hour', 'table', 'tABLE 3', '3'],
    ['Tab. 3: Rates by hour', 'table', 'Tab. 3', '3'],
    ['Tabelle 3: Raten je Stunde', 'table', 'Tabelle 3', '3'],
    ['Abbildung 3: Raten je Stunde', 'figure', 'Abbildung 3', '3'],
    ['Abb. 3: Raten je Stunde', 'figure', 'Abb. 3', '3'],
    ['Tableau 3: Taux par heure', 'table', 'Tableau 3', '3'],
    ['Tabla 3. Tasas por hora', 'table', 'Tabla 3', '3'],
    ['Figura 3. Tasas por hora', 'figure', 'Figura 3', '3'],
  ])('reads %j', (text, kind, label, number) => {
    expect(captionsOf([{ text, y: 300 }])).toMatchObject([{ kind, label, number, text, page: 1 }]);
  });

  it.each([
    'Figure 3 shows the rates by hour.',
    'Figures 3 and 4: the rates by hour.',
    'Table of contents',
    'figure 3: lower case',
    'table 3 Rates by hour',
    'TABLE IV',
    'Figure it out: a guide',
    'Table 1 Table 2',
    'Table 7',
    'Figure 1: Rates by hour . . . . . . . . 12',
  ])('takes %j for text', (text) => {
    expect(captionsOf([{ text, y: 300 }])).toEqual([]);
  });

  it('reads a label in capitals above its title', () => {
    const lines = [
      { text: 'TABLE IV', x: 200, y: 300, font: 'SmallCaps' },
      { text: 'RATES BY HOUR', x: 190, y: 312, font: 'SmallCaps' },
    ];
    expect(captionsOf(lines)).toMatchObject([{ text: 'TABLE IV RATES BY HOUR', number: 'IV' }]);
  });

  it('takes a label in small letters below another line for text', () => {
    const lines = [
      { text: 'The rates are given in', y: 300 },
      { text: 'table 3: Rates by hour.', y: 312 },
    ];
    expect(captionsOf(lines)).toEqual([]);
  });

  it('takes a label that begins a line of a paragraph for text', () => {
    const lines = [
      { text: 'The rates fall in the night, as can be seen clearly in panel', y: 300 },
      { text: 'Figure 3. They rise again in the morning, but only slowly, as', y: 312 },
      { text: 'Table 4: no rows were lost.', y: 324 },
    ];
    expect(captionsOf(lines)).toEqual([]);
  });

  it('keeps the line that looks most like a caption of those with one number', () => {
    const lines = [
      { text: 'Figure 1. The panels agree.', y: 300 },
      { text: 'Figure 1: Rates by hour.', y: 400 },
    ];
    expect(captionsOf(lines)).toMatchObject([{ text: 'Figure 1: Rates by hour.' }]);
  });
});

describe('the text of a caption', () => {
  const caption = [
    { text: 'Figure 1: Rates by hour, averaged over the runs of one week,', y: 300 },
    { text: 'without the first hour of each run.', y: 312 },
  ];

  it('has all lines, and the box around them', () => {
    const [found] = captionsOf(caption);
    expect(found?.text).toBe(caption.map(({ text }) => text).join(' '));
    expect(found?.box).toEqual([72, 291, 300, 22]);
    expect(found?.lines).toHaveLength(2);
  });

  it('ends before a paragraph that follows after a short line', () => {
    const lines = [
      ...caption,
      { text: 'The text goes on here and is as wide as it was before it.', y: 324 },
    ];
    expect(captionsOf(lines)[0]?.lines).toHaveLength(2);
  });

  it('ends at a gap', () => {
    const lines = [caption[0] ?? '', { text: 'which is the text below.', y: 322 }];
    expect(captionsOf(lines)[0]?.lines).toHaveLength(1);
  });

  it.each([
    ['a rule above them', [72, 302, 300, 0]],
    ['an upright rule between them', [100, 303, 0, 10]],
  ] as const)('ends before cells with %s', (_, rule) => {
    expect(captionsOf(caption, { rules: [rule] })[0]?.lines).toHaveLength(1);
  });

  it('ends before the next caption', () => {
    const lines = [
      { text: 'Figure 1: Rates by hour, averaged over the runs of one week.', y: 300 },
      { text: 'Figure 2: Rates by day.', y: 312 },
    ];
    expect(captionsOf(lines).map(({ text }) => text)).toEqual(lines.map(({ text }) => text));
  });

  it('goes on below a label that stands alone', () => {
    const lines = [
      { text: 'TABLE IV.', x: 200, y: 300 },
      { text: 'RATES BY HOUR', x: 180, y: 312 },
    ];
    expect(captionsOf(lines)).toMatchObject([{ number: 'IV', text: 'TABLE IV. RATES BY HOUR' }]);
  });

  it('includes pieces of a line that a formula cut off, but no other column', () => {
    const lines = [
      { text: 'Figure 1: Rates for a', y: 300 },
      { text: 'x+y', x: 180, y: 300 },
      { text: 'the other column', x: 330, y: 300 },
    ];
    expect(captionsOf(lines)).toMatchObject([{ text: 'Figure 1: Rates for a x+y' }]);
  });

  it('goes on beside its first line where the page is turned', () => {
    const turned = [
      { text: 'Table 2: Formulae for the', x: 200, y: 400, upright: false },
      { text: 'rates by hour.', x: 188, y: 400, upright: false },
    ];
    expect(captionsOf(turned)).toMatchObject([
      { text: 'Table 2: Formulae for the rates by hour.' },
    ]);
  });
});

it('accepts a label without a mark after it if it is printed in another font', () => {
  const page = pageOf([...prose, { text: 'Table 3 shows rates by hour', y: 300 }]);
  const lines = page.lines.map((line) => ({
    ...line,
    runs: line.runs.map((run) => ({ ...run, bold: /^(Table|3)$/.test(run.text) })),
  }));
  expect(captionsOn({ ...page, lines })).toEqual([]);
  const named = lines.map((line) => ({ ...line, text: line.text.replace('shows', 'Shown') }));
  expect(captionsOn({ ...page, lines: named })).toMatchObject([{ number: '3' }]);
});
