import type { Caption } from '../captions.js';
import { unionOf, holdsMiddle } from '../boxes.js';
import type { Box, PageContent, PdfContent, TextLine } from '../page-content.js';
import type { PaperTable } from '../paper.js';
import { toHtml, rowCount, columnCount, type Grid } from './grid.js';
import { latticeGrid, latticesOf } from './lattice.js';
import { joinRules } from './rules.js';
import { ruledRegions } from './ruled-regions.js';
import { textGrid } from './text-grid.js';
import { spaceOf, wordsOf, type Word } from './words.js';

export interface TablesFound {
  readonly tables: readonly PaperTable[];
  readonly lines: ReadonlySet<TextLine>;
}

interface Found {
  readonly grid: Grid;
  readonly box: Box;
}

export function findTables(content: PdfContent, captions: readonly Caption[]): TablesFound {
  const lines = new Set<TextLine>();
  const tables = content.pages.flatMap((page, index) => {
    const own = captions.filter((caption) => caption.page === index + 1);
    return tablesOnPage(page, own).map(({ grid, box }): PaperTable => {
      for (const { words } of grid.cells) for (const { line } of words) lines.add(line);
      return { page: index + 1, box, caption: '', number: null, html: toHtml(grid) };
    });
  });
  return { tables, lines };
}

function tablesOnPage(page: PageContent, captions: readonly Caption[]): readonly Found[] {
  const captionLines = new Set(captions.flatMap(({ lines }) => lines));
  let words = wordsOf(page).filter(({ line }) => !captionLines.has(line));
  const space = spaceOf(words);
  const rules = joinRules(page);
  const figures = captions.filter(({ kind }) => kind === 'figure');
  const found: Found[] = [];
  const take = (grid: Grid | null, around: Box): void => {
    if (grid === null || !isTable(grid)) return;
    if (figures.some((figure) => holdsMiddle(around, figure.box))) return;
    const used = new Set<Word>(grid.cells.flatMap((cell) => cell.words));
    words = words.filter((word) => !used.has(word));
    found.push({ grid, box: unionOf([around, ...[...used].map(({ box }) => box)]) });
  };
  for (const lattice of latticesOf(rules)) {
    const inside = words.filter(({ box }) => holdsMiddle(lattice.box, box));
    take(inside.length === 0 ? null : latticeGrid(lattice, inside, space), lattice.box);
  }
  for (const region of ruledRegions(rules.level, words, captions, space)) {
    const inside = words.filter(({ box }) => holdsMiddle(region.box, box));
    take(inside.length === 0 ? null : textGrid(inside, { level: region.rules, upright: [] }, space), region.box);
  }
  return found;
}

/** Of the places of a table. The labels of a chart fill fewer. */
const leastFilled = 0.35;

function isTable(grid: Grid): boolean {
  const [rows, columns] = [rowCount(grid), columnCount(grid)];
  const filled = grid.cells.reduce(
    (sum, { row, lastRow, column, lastColumn }) => sum + (lastRow - row + 1) * (lastColumn - column + 1),
    0,
  );
  return rows >= 2 && columns >= 2 && grid.cells.length >= 4 && filled > rows * columns * leastFilled;
}
