import { isMonospaced } from '../body-print.js';
import { holdsMiddle, unionOf } from '../boxes.js';
import type { Caption } from '../captions.js';
import type { Box, PageContent } from '../page-content.js';
import { nearestCaption } from './caption-match.js';
import { isChart } from './charts.js';
import { columnCount, filledPlaces, rowCount, type Grid } from './grid.js';
import { latticeGrid, latticesOf } from './lattice.js';
import { ruledRegions } from './ruled-regions.js';
import { joinRules } from './rules.js';
import { textGrid } from './text-grid.js';
import { isNumeric as isNumber, spaceOf, wordsOf, type Word } from './words.js';

export interface TableOnPage {
  readonly grid: Grid;
  /** Around its rules and words. */
  readonly box: Box;
  /** False if each cell is a line of a table whose columns are not known; the lines then stay in the text as well. */
  readonly isRead: boolean;
}

/**
 * The tables of a page: first those with rules in both directions, then those between level rules. Charts and programs have
 * rules as well, so a table without a caption has to be certain.
 */
export function tablesOnPage(
  page: PageContent,
  captions: readonly Caption[],
): readonly TableOnPage[] {
  const rules = joinRules(page);
  // Every way to read a table needs one above it and one below it.
  if (rules.level.length < 2) return [];
  const captionLines = new Set(captions.flatMap(({ lines }) => lines));
  let words = wordsOf(page).filter(({ line }) => !captionLines.has(line));
  const space = spaceOf(words);
  const found: TableOnPage[] = [];
  const take = (
    around: Box,
    read: (inside: readonly Word[]) => Grid | null,
    certain: boolean,
  ): void => {
    const inside = words.filter(({ box }) => holdsMiddle(around, box));
    const grid = inside.length === 0 ? null : read(inside);
    if (grid === null || !isTable(grid)) return;
    const used = new Set<Word>(grid.cells.flatMap((cell) => cell.words));
    const box = unionOf([around, ...[...used].map((word) => word.box)]);
    const caption = nearestCaption(box, captions);
    if (caption?.kind === 'figure') return;
    if (caption === undefined && !(certain || isNumeric(grid))) return;
    if (
      caption === undefined &&
      (isCode(inside) || isDrawn(inside) || isChart(around, page, rules))
    )
      return;
    words = words.filter((word) => !used.has(word));
    found.push({ grid, box, isRead: true });
  };
  for (const lattice of latticesOf(rules)) {
    take(lattice.box, (inside) => latticeGrid(lattice, inside, space), true);
  }
  for (const region of ruledRegions(rules, words, captions, space)) {
    const within = { level: region.rules, upright: [] };
    take(region.box, (inside) => textGrid(inside, within, space), region.full >= 3);
  }
  return found;
}

/** Of the places of a table. The labels of a chart fill fewer. */
const leastFilled = 0.35;

export function isTable(grid: Grid): boolean {
  const [rows, columns] = [rowCount(grid), columnCount(grid)];
  return (
    rows >= 2 &&
    columns >= 2 &&
    grid.cells.length >= 4 &&
    filledPlaces(grid.cells) > rows * columns * leastFilled
  );
}

/** Whether most cells beside the names of rows are numbers, in several columns. */
function isNumeric(grid: Grid): boolean {
  const values = grid.cells.filter(({ row, column }) => row >= grid.headerRows && column > 0);
  const numbers = values.filter(({ words }) => words.every(({ text }) => isNumber(text)));
  return columnCount(grid) >= 3 && numbers.length > values.length / 2;
}

/** Programs and their output are set in fonts of one width for all characters. */
const isCode = (words: readonly Word[]): boolean =>
  words.filter(({ font }) => isMonospaced(font)).length > words.length * 0.7;

/** The points of a chart may be characters. */
const isDrawn = (words: readonly Word[]): boolean =>
  words.filter(({ text }) => /[\p{L}\p{N}]/u.test(text)).length < words.length / 2;
