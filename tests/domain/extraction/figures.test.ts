import { describe, expect, it } from 'vitest';
import { bodyPrint } from '../../../domain/extraction/lines.js';
import { findCaptions } from '../../../domain/extraction/captions.js';
import { findFigures } from '../../../domain/extraction/figures/find-figures.js';
import type { Box, PageContent, PdfContent } from '../../../domain/extraction/page-content.js';
import { contentOf, pageOf, type LineSpec } from '../../support/extraction/pdf-content.js';

/** Full lines of running text, 468 points wide. */
const prose = (y: number, count = 4, x = 72, characters = 94): readonly LineSpec[] =>
  Array.from({ length: count }, (_, index) => ({
    text: 'The words of a paragraph fill the line up to its end '
      .repeat(2)
      .slice(0, characters)
      .trim()
      .padEnd(characters, 'x'),
    x,
    y: y + index * 12,
  }));

/** The paths of a bar chart, with the corners of the box around them. */
const bars = ([x, y, width, height]: Box): readonly Box[] => [
  [x, y, width / 8, height],
  [x + width / 4, y + height / 2, width / 8, height / 2],
  [x + width / 2, y + height / 4, width / 8, (height * 3) / 4],
  [x + (width * 7) / 8, y, width / 8, height],
  [x, y + height - 1, width, 1],
];
const chart: Box = [150, 300, 200, 120];

const figuresOf = (content: PdfContent, tables: readonly { page: number; box: Box }[] = []) => {
  const body = bodyPrint(content);
  return findFigures(content, body, findCaptions(content, body), tables);
};
const onPage = (lines: readonly LineSpec[], changes: Partial<PageContent>) =>
  figuresOf(contentOf([pageOf([...prose(100), ...lines, ...prose(600)], changes)]));

describe('a figure with a caption', () => {
  it.each([
    ['above', 440, 'drawings'],
    ['above', 440, 'pictures'],
    ['below', 285, 'drawings'],
  ] as const)('is %s its caption, at y %i, from %s', (_, y, kind) => {
    const figures = onPage([{ text: 'Figure 1: Rates by hour.', x: 180, y }], {
      [kind]: kind === 'drawings' ? bars(chart) : [chart],
    });
    expect(figures.map(({ figure }) => figure)).toEqual([
      { page: 1, box: chart, caption: 'Figure 1: Rates by hour.', number: '1' },
    ]);
  });

  it('is beside its caption if nothing is above or below', () => {
    const [found] = onPage([{ text: 'Figure 1: Rates', x: 400, y: 360 }], { pictures: [chart] });
    expect(found?.figure).toMatchObject({ box: chart, number: '1' });
  });

  it('takes its labels out of the text, and no line of the text around it', () => {
    const labels: LineSpec[] = [
      { text: '0 5 10', x: 200, y: 432, fontSize: 7, font: 'Label' },
      { text: 'Rates', x: 230, y: 280, fontSize: 9, font: 'Label' },
      { text: 'per hour', x: 140, y: 350, fontSize: 7, font: 'Label', upright: false },
    ];
    const [found] = onPage([...labels, { text: 'Figure 1: Rates by hour.', x: 180, y: 450 }], {
      drawings: bars(chart),
    });
    expect(found?.lines.map(({ text }) => text)).toEqual([
      '0 5 10',
      'Rates',
      'per hour',
      'Figure 1: Rates by hour.',
    ]);
    const [, top, , height] = found?.figure.box ?? [0, 0, 0, 0];
    expect([top, top + height]).toEqual([271.9, 432.7]);
  });

  it('has all parts above one caption, also with labels of their own', () => {
    const parts: Box[] = [
      [100, 300, 150, 100],
      [320, 300, 150, 100],
    ];
    const figures = onPage(
      [
        { text: '(a) before', x: 150, y: 415 },
        { text: '(b) after', x: 370, y: 415 },
        { text: 'Figure 1: Rates by hour.', x: 180, y: 440 },
      ],
      { pictures: parts },
    );
    expect(figures).toHaveLength(1);
    expect(figures[0]?.figure.box.slice(0, 3)).toEqual([100, 300, 370]);
    expect(figures[0]?.lines).toHaveLength(3);
  });

  it('leaves the figure of the caption beside it alone', () => {
    const parts: Box[] = [
      [80, 300, 180, 100],
      [340, 300, 180, 100],
    ];
    const figures = onPage(
      [
        { text: 'Figure 1: Before.', x: 120, y: 420 },
        { text: 'Figure 2: After.', x: 380, y: 420 },
      ],
      { pictures: parts },
    );
    expect(figures.map(({ figure }) => [figure.number, figure.box])).toEqual([
      ['1', parts[0]],
      ['2', parts[1]],
    ]);
  });

  it('stays in its column', () => {
    const columns = [72, 320].flatMap((x) => [...prose(100, 12, x, 44), ...prose(560, 12, x, 44)]);
    const picture: Box = [72, 300, 200, 100];
    const other: Box = [330, 300, 200, 100];
    const page = pageOf([...columns, { text: 'Figure 1: Rates.', x: 110, y: 420 }], {
      pictures: [picture, other],
    });
    expect(figuresOf(contentOf([page])).map(({ figure }) => [figure.number, figure.box])).toEqual([
      ['1', picture],
      [null, other],
    ]);
  });

  it('does not reach across text', () => {
    const figures = onPage([...prose(400), { text: 'Figure 1: A listing.', x: 180, y: 470 }], {
      pictures: [[150, 200, 200, 120]],
    });
    expect(figures.map(({ figure }) => figure.number)).toEqual([null, '1']);
  });

  it('is cut at the text that its white ground reaches over', () => {
    const [found] = onPage([{ text: 'Figure 1: Rates by hour.', x: 180, y: 450 }], {
      drawings: [[140, 130, 220, 300], ...bars(chart)],
    });
    expect(found?.figure.box[1]).toBeCloseTo(137);
  });

  it('is a listing where nothing is drawn, which stays in the text', () => {
    const code = ['f <- function(x) {', '  x + 1', '}'];
    const [found] = onPage(
      [
        ...code.map((text, index) => ({ text, x: 90, y: 400 + index * 12, font: 'Mono' })),
        { text: 'Figure 1: A function.', x: 180, y: 450 },
      ],
      {},
    );
    expect(found?.figure.box).toEqual([90, 391, 90, 34]);
    expect(found?.lines).toHaveLength(1);
  });

  it('is no part of a table', () => {
    const content = contentOf([
      pageOf([...prose(100), { text: 'Figure 1: Rates.', x: 180, y: 450 }], { pictures: [chart] }),
    ]);
    expect(figuresOf(content, [{ page: 1, box: chart }])[0]?.figure.box).not.toEqual(chart);
  });
});

describe('a figure without a caption', () => {
  it.each([
    ['a picture', { pictures: [chart] }],
    ['a drawing', { drawings: bars(chart) }],
  ])('is %s of some size', (_, marks) => {
    expect(onPage([], marks).map(({ figure }) => figure)).toEqual([
      { page: 1, box: chart, caption: '', number: null },
    ]);
  });

  it.each<[string, readonly LineSpec[], Partial<PageContent>]>([
    ['a logo', [], { pictures: [[72, 200, 60, 40]] }],
    ['rules', [], { rules: [chart, [72, 300, 400, 1]] }],
    ['a frame', [], { drawings: [chart] }],
    ['the ground of the page', [], { pictures: [[0, 0, 612, 792]] }],
    [
      'the shade behind text',
      prose(300, 6),
      { drawings: [[70, 285, 480, 80], ...bars([70, 285, 480, 80])] },
    ],
  ])('is not %s', (_, lines, changes) => {
    expect(onPage(lines, changes)).toEqual([]);
  });

  it('is not what stands at the same place of many pages', () => {
    const page = pageOf([...prose(200)], { pictures: [[72, 20, 200, 60]] });
    expect(figuresOf(contentOf([page, page, page]))).toEqual([]);
  });
});
