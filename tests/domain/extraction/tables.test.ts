// cspell:ignore fortsetzung
import { describe, expect, it } from 'vitest';
import { bodyPrint } from '../../../domain/extraction/lines.js';
import { findCaptions } from '../../../domain/extraction/captions.js';
import type { Box, PageContent } from '../../../domain/extraction/page-content.js';
import { findTables } from '../../../domain/extraction/tables/find-tables.js';
import { contentOf, pageOf, type LineSpec } from '../../support/extraction/pdf-content.js';

/** Rows of cells: each cell a line at the x of its column. The first baseline is at `top`. */
const rowsAt = (
  columns: readonly number[],
  rows: readonly (readonly string[])[],
  top = 120,
  leading = 14,
): readonly LineSpec[] =>
  rows.flatMap((cells, row) =>
    cells.flatMap((text, column) =>
      text === '' ? [] : [{ text, x: columns[column] ?? 0, y: top + row * leading }],
    ),
  );

const level = (y: number, from: number, to: number): Box => [from, y, to - from, 0];
const upright = (x: number, from: number, to: number): Box => [x, from, 0, to - from];

const tablesOf = (...pages: readonly PageContent[]) => {
  const content = contentOf(pages);
  const body = bodyPrint(content);
  return findTables(content, body, findCaptions(content, body), new Set());
};

const numbers = [
  ['Model', 'Mean', 'Median'],
  ['first', '1.20', '3.10'],
  ['second', '2.25', '4.00'],
  ['third', '0.75', '5.50'],
];
const html =
  '<table><tr><th>Model</th><th>Mean</th><th>Median</th></tr>' +
  '<tr><td>first</td><td>1.20</td><td>3.10</td></tr>' +
  '<tr><td>second</td><td>2.25</td><td>4.00</td></tr>' +
  '<tr><td>third</td><td>0.75</td><td>5.50</td></tr></table>';
const columns = [100, 200, 300];
const booktabs = [level(108, 95, 350), level(124, 95, 350), level(166, 95, 350)];
const caption = { text: 'Table 4: Means & medians.', x: 100, y: 98 };

describe('findTables', () => {
  it('reads a table between level rules, with its caption', () => {
    const page = pageOf([caption, ...rowsAt(columns, numbers)], { rules: booktabs });
    const [found, ...others] = tablesOf(page);
    expect(others).toEqual([]);
    expect(found?.table).toEqual({
      page: 1,
      box: [92, 108, 261, 58],
      caption: 'Table 4: Means & medians.',
      number: '4',
      html,
    });
    expect(found?.lines).toHaveLength(13);
  });

  it('reads a lattice with spans, and escapes its text', () => {
    const rules = [
      ...[100, 120, 140, 160].map((y) => level(y, 90, 390)),
      ...[90, 190, 390].map((x) => upright(x, 100, 160)),
      upright(290, 120, 160),
    ];
    const cells = [
      ['', 'p < 0.05'],
      ['a & b', 'yes', 'no'],
      ['c', 'no', 'yes'],
    ];
    const lines = rowsAt([100, 240, 320], cells, 114, 20);
    expect(tablesOf(pageOf(lines, { rules })).map(({ table }) => table.html)).toEqual([
      '<table><tr><td></td><th colspan="2">p &lt; 0.05</th></tr>' +
        '<tr><td>a &amp; b</td><td>yes</td><td>no</td></tr>' +
        '<tr><td>c</td><td>no</td><td>yes</td></tr></table>',
    ]);
  });

  it('spans the columns above which a rule runs', () => {
    const lines = [caption, { text: 'Scores', x: 235, y: 118 }, ...rowsAt(columns, numbers, 134)];
    const rules = [
      level(108, 95, 350),
      level(122, 195, 350),
      level(138, 95, 350),
      level(180, 95, 350),
    ];
    expect(tablesOf(pageOf(lines, { rules }))[0]?.table.html).toContain(
      '<tr><th rowspan="2">Model</th><th colspan="2">Scores</th></tr>' +
        '<tr><th>Mean</th><th>Median</th></tr>',
    );
  });

  it('joins the lines of a wrapped cell with a space', () => {
    const cells = [
      ['Name', 'Meaning'],
      ['alpha', 'the rate at which'],
      ['', 'the model learns'],
      ['beta', 'the momentum'],
    ];
    const lines = [caption, ...rowsAt([100, 200], cells, 120, 12)];
    const rules = [level(108, 95, 350), level(123, 95, 350), level(160, 95, 350)];
    expect(tablesOf(pageOf(lines, { rules }))[0]?.table.html).toContain(
      '<tr><td>alpha</td><td>the rate at which the model learns</td></tr>',
    );
  });

  describe('that go on over pages', () => {
    const body = numbers.slice(1);
    const rowsOfTables = (...pages: readonly PageContent[]): readonly (readonly string[])[] =>
      tablesOf(...pages).map(({ table: { page, number, html } }) => [
        `${page} ${number ?? '-'}`,
        ...[...html.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row = '']) =>
          row
            .replace(/<[^>]+>/g, ' ')
            .replace(/ +/g, ' ')
            .trim(),
        ),
      ]);
    const first = pageOf([caption, ...rowsAt(columns, numbers)], { rules: booktabs });
    const [whole = []] = rowsOfTables(first);
    const again = (text: string) => ({ text, x: 100, y: 100 });

    it.each<[string, PageContent, number]>([
      ['with their head again', pageOf(rowsAt(columns, numbers), { rules: booktabs }), 1],
      ['without it', pageOf(rowsAt(columns, [...body, ...body]), { rules: booktabs }), 0],
      [
        'below "continued"',
        pageOf([again('Table 4 (continued)'), ...rowsAt(columns, numbers)], { rules: booktabs }),
        1,
      ],
      [
        'below "Fortsetzung"',
        pageOf([again('Table 4: Fortsetzung'), ...rowsAt(columns, numbers)], { rules: booktabs }),
        1,
      ],
      [
        'below their caption again',
        pageOf([caption, ...rowsAt(columns, numbers)], { rules: booktabs }),
        1,
      ],
    ])('are one: %s', (_, second, repeated) => {
      const [, ...rows] = rowsOfTables(second)[0] ?? [];
      expect(rowsOfTables(first, second)).toEqual([[...whole, ...rows.slice(repeated)]]);
    });

    it.each(['', 'Table 4 (continued)'])('are one over two columns of a page: %s', (above) => {
      const narrow = [100, 160, 220];
      const tableAt = (text: string, left: number, down: number) => ({
        lines: [
          ...(text === '' ? [] : [{ text, x: 100 + left, y: 98 + down }]),
          ...rowsAt(
            narrow.map((x) => x + left),
            numbers,
            120 + down,
          ),
        ],
        rules: [108, 124, 166].map((y) => level(y + down, 95 + left, 270 + left)),
      });
      const parts = [tableAt(caption.text, 0, 400), tableAt(above, 250, 0)];
      const lines = parts.flatMap((part) => part.lines);
      const page = pageOf(lines, { rules: parts.flatMap(({ rules }) => rules) });
      expect(rowsOfTables(page)).toEqual([[...whole, ...whole.slice(2)]]);
    });

    it('are two where text stands between them', () => {
      const text = [60, 72, 84, 96].map((y) => ({ text: 'A page begins with text.', x: 100, y }));
      const second = pageOf([...text, ...rowsAt(columns, numbers)], { rules: booktabs });
      expect(rowsOfTables(first, second).map(([place]) => place)).toEqual(['1 4', '2 -']);
    });
  });

  it('keeps a cell of several wide lines between rules in its table', () => {
    const meaning = [
      'the share of the questions that were answered by ',
      'every one of the models, whatever the number was',
    ];
    const lines = [
      caption,
      { text: 'Name', x: 100, y: 120 },
      { text: 'Meaning', x: 150, y: 120 },
      { text: 'alpha', x: 100, y: 140 },
      ...[...meaning, ...meaning].map((text, row) => ({ text, x: 150, y: 140 + row * 12 })),
      { text: 'beta', x: 100, y: 196 },
      { text: 'the rest', x: 150, y: 196 },
    ];
    const rules = [108, 126, 182, 202].map((y) => level(y, 95, 400));
    expect(tablesOf(pageOf(lines, { rules })).map(({ table }) => table.box)).toEqual([
      [92, 108, 311, 94],
    ]);
  });

  describe('of a caption without rules', () => {
    const prose = [0, 1, 2].map((row) => ({
      text: 'The means of the models were computed from many runs of each one.',
      y: 250 + row * 12,
    }));
    const found = (lines: readonly LineSpec[]) =>
      tablesOf(pageOf(lines)).map(({ table, lines: own }) => ({ ...table, lines: own.length }));

    it('reads the columns of words below the caption, up to the running text', () => {
      expect(found([caption, ...rowsAt(columns, numbers), ...prose])).toEqual([
        {
          page: 1,
          box: [100, 111, 230, 52],
          caption: 'Table 4: Means & medians.',
          number: '4',
          html,
          lines: 13,
        },
      ]);
    });

    it('reads those above it, but not the heading and the running text above them', () => {
      const lines = [
        ...prose,
        { text: 'Results', y: 310, bold: true },
        ...rowsAt(columns, numbers, 340),
        { ...caption, y: 400 },
      ];
      expect(found(lines)).toMatchObject([{ html, box: [100, 331, 230, 52] }]);
    });

    it('reads output of a program', () => {
      const output = rowsAt([100, 160, 220], numbers).map((line) => ({
        ...(typeof line === 'string' ? { text: line } : line),
        font: 'CMTT10',
      }));
      expect(found([caption, ...output, ...prose])).toMatchObject([{ html }]);
    });

    it('stays in its column of the page', () => {
      const column = (x: number, y: number) =>
        [0, 1, 2, 3].map((row) => ({
          text: 'The means of the models were computed',
          x,
          y: y + row * 12,
        }));
      const lines = [
        { ...caption, x: 72 },
        ...rowsAt([72, 142, 212], numbers),
        ...column(72, 250),
        ...column(330, 98),
        ...column(330, 146),
      ];
      expect(found(lines)).toMatchObject([{ html, box: [72, 111, 170, 52] }]);
    });

    it('gives lines without columns a row each, and leaves them in the text', () => {
      const steps = ['read the pages', 'find the lines', 'join the words'];
      const lines = [
        caption,
        ...rowsAt(
          [100],
          steps.map((step) => [step]),
        ),
        ...prose,
      ];
      expect(found(lines)).toMatchObject([
        {
          box: [100, 111, 70, 38],
          html: '<table><tr><td>read the pages</td></tr><tr><td>find the lines</td></tr><tr><td>join the words</td></tr></table>',
          lines: 1,
        },
      ]);
    });

    it('gives output of a program a row a line where its tables have other columns', () => {
      const output = [
        ...rowsAt(
          [100, 160],
          numbers.slice(0, 3).map((row) => row.slice(0, 2)),
        ),
        ...['Sample Size', 'Call: test(x = model)'].map((text, row) => ({
          text,
          x: 100,
          y: 162 + row * 14,
        })),
      ].map((line) => ({ ...(typeof line === 'string' ? { text: line } : line), font: 'CMTT10' }));
      const [table] = found([caption, ...output, ...prose]);
      expect(table?.html).toContain('<tr><td>Sample Size</td></tr>');
      expect(table?.lines).toBe(1);
    });

    it('has the place of the picture beside it, or else that of the caption', () => {
      const picture = [90, 110, 200, 120] as const;
      const [inPicture, alone] = [[picture], []].map((pictures) =>
        tablesOf(pageOf([caption, ...prose], { pictures })),
      );
      expect(inPicture).toMatchObject([{ table: { box: picture, html: '<table></table>' } }]);
      expect(alone).toMatchObject([{ table: { box: [100, 89, 125, 10] } }]);
    });
  });

  describe('on a turned page', () => {
    /** As on paper in landscape that is turned by a quarter: `readsUp` to the left, else to the right. */
    const turned = (readsUp: boolean, rules: readonly Box[]): PageContent => {
      const page = pageOf([caption, ...rowsAt(columns, numbers)], {
        width: 792,
        height: 612,
        rules,
      });
      const turn = ([x, y, w, h]: Box): Box =>
        readsUp ? [y, 792 - x - w, h, w] : [612 - y - h, x, h, w];
      const lines = page.lines.map((line) => ({
        ...line,
        upright: false,
        box: turn(line.box),
        runs: line.runs.map((run) => ({ ...run, box: turn(run.box) })),
      }));
      return { ...page, width: 612, height: 792, lines, rules: rules.map(turn) };
    };

    it.each([
      [true, [108, 439, 58, 261]],
      [false, [446, 92, 58, 261]],
    ])('reads the table and gives its place as printed (upwards: %s)', (readsUp, box) => {
      const [found, ...others] = tablesOf(turned(readsUp, booktabs));
      expect(others).toEqual([]);
      expect(found?.table).toMatchObject({ html, box, number: '4' });
      expect(found?.lines).toHaveLength(13);
    });

    it('reads one without rules', () => {
      expect(tablesOf(turned(true, []))).toMatchObject([{ table: { html, number: '4' } }]);
    });
  });

  it.each([
    [
      'prose between rules',
      pageOf(
        Array.from({ length: 5 }, () => 'words that fill the whole line of this paragraph and end'),
        { rules: [level(80, 72, 360), level(200, 72, 360)] },
      ),
    ],
    [
      'output of a program in a frame',
      pageOf(
        rowsAt(columns, numbers).map((line) => ({
          ...(typeof line === 'string' ? { text: line } : line),
          font: 'CMTT10',
        })),
        { rules: booktabs },
      ),
    ],
    [
      'a chart',
      pageOf(rowsAt(columns, numbers), {
        rules: booktabs,
        drawings: [110, 150, 190, 230].map((x) => [x, 140, 4, 4] as const),
      }),
    ],
    [
      'a chart in a frame with ticks',
      pageOf(rowsAt(columns, numbers), {
        rules: [...booktabs, upright(95, 108, 166), upright(190, 108, 166)],
        drawings: [100, 150, 200, 250].map((x) => [x, 166, 1, 5] as const),
      }),
    ],
    [
      'a chart of dots',
      pageOf(rowsAt(columns, numbers), {
        rules: booktabs,
        drawings: Array.from(
          { length: 8 },
          (_, dot) => [100 + dot * 9, 130 + dot * 2, 2, 2] as const,
        ),
      }),
    ],
    [
      'points that are characters',
      pageOf(
        rowsAt(
          columns,
          numbers.map((row) => row.map((text) => text.replace(/\w+(\.\w+)?/, '●'))),
        ),
        { rules: booktabs },
      ),
    ],
    [
      'labels in a frame with a caption of a figure',
      pageOf([...rowsAt(columns, numbers), { text: 'Figure 2: Means.', x: 100, y: 185 }], {
        rules: booktabs,
      }),
    ],
  ])('finds no table in %s', (_, page) => {
    expect(tablesOf(page)).toEqual([]);
  });
});
