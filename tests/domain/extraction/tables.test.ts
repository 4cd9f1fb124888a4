import { describe, expect, it } from 'vitest';
import { bodyPrint } from '../../../domain/extraction/body-print.js';
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
  return findTables(content, findCaptions(content, bodyPrint(content)));
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

  it('gives a part on the next page the caption of the first part', () => {
    const first = pageOf([caption, ...rowsAt(columns, numbers)], { rules: booktabs });
    const second = pageOf(rowsAt(columns, numbers), { rules: booktabs });
    expect(
      tablesOf(first, second).map(({ table: { page, caption: text } }) => [page, text]),
    ).toEqual([
      [1, 'Table 4: Means & medians.'],
      [2, 'Table 4: Means & medians.'],
    ]);
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
      'labels in a frame with a caption of a figure',
      pageOf([...rowsAt(columns, numbers), { text: 'Figure 2: Means.', x: 100, y: 185 }], {
        rules: booktabs,
      }),
    ],
  ])('finds no table in %s', (_, page) => {
    expect(tablesOf(page)).toEqual([]);
  });
});
