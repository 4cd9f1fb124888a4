import { groupNeighbours } from '../../statistics/means.js';
import type { Box, PageContent } from '../page-content.js';
import { textOf, type Word } from './columns.js';
import { tableHtml, type TableCell } from './table-html.js';

export interface Cell extends TableCell {
  readonly words: readonly Word[];
}

export interface Grid {
  readonly cells: readonly Cell[];
  /** The first rows hold names of columns. */
  readonly headerRows: number;
}

/** Without empty cells, and without the rows and columns that hold none but empty cells. */
export function compact({ cells, headerRows }: Grid): Grid {
  const filled = cells.filter(({ words }) => words.length > 0);
  const rows = numbering(filled.map(({ row }) => row));
  const columns = numbering(filled.map(({ column }) => column));
  return {
    cells: filled.map((cell) => ({
      ...cell,
      row: rows(cell.row),
      lastRow: Math.max(rows(cell.row), rows(cell.lastRow + 1) - 1),
      column: columns(cell.column),
      lastColumn: Math.max(columns(cell.column), columns(cell.lastColumn + 1) - 1),
    })),
    headerRows: rows(headerRows),
  };
}

/** The number of starts before a position. */
function numbering(starts: readonly number[]): (position: number) => number {
  const sorted = [...new Set(starts)].sort((a, b) => a - b);
  return (position) => {
    const at = sorted.findIndex((start) => start >= position);
    return at === -1 ? sorted.length : at;
  };
}

export const rowCount = ({ cells }: Grid): number =>
  cells.reduce((count, { lastRow }) => Math.max(count, lastRow + 1), 0);
export const columnCount = ({ cells }: Grid): number =>
  cells.reduce((count, { lastColumn }) => Math.max(count, lastColumn + 1), 0);

/** The number of places in cells with words. */
export const filledPlaces = (cells: readonly Cell[]): number =>
  cells
    .filter(({ words }) => words.length > 0)
    .map(({ row, lastRow, column, lastColumn }) => (lastRow - row + 1) * (lastColumn - column + 1))
    .reduce((sum, places) => sum + places, 0);

/** A table with the rows of its next part below it, without those that repeat its first ones. */
export function appended(above: Grid, below: Grid): Grid {
  const textAt = ({ cells }: Grid, at: number): string =>
    textOf(cells.filter(({ row }) => row === at).flatMap(({ words }) => words));
  let repeated = 0;
  while (repeated < above.headerRows && textAt(below, repeated) === textAt(above, repeated)) {
    repeated += 1;
  }
  const shift = rowCount(above) - repeated;
  const cells = below.cells
    .filter(({ row }) => row >= repeated)
    .map((cell) => ({ ...cell, row: cell.row + shift, lastRow: cell.lastRow + shift }));
  return { ...above, cells: [...above.cells, ...cells] };
}

/** See `tableHtml`. */
export const toHtml = ({ cells, headerRows }: Grid): string =>
  tableHtml(
    cells.map(({ words, ...place }) => ({
      ...place,
      text: textOf(words),
      isHeader: place.row < headerRows,
    })),
  );

/** A drawn line. `at` is its y if it is level, its x if it is upright. */
export interface Rule {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** Lines nearer than this are drawn as one: double rules, and the frames of neighbouring cells. */
const sameLine = 3;
/** Of the pieces of a line. */
const widestGap = 3;

export interface Rules {
  readonly level: readonly Rule[];
  readonly upright: readonly Rule[];
}

/** An area is drawn as a rule if it is this thin and much longer. */
const thickestRule = 4.5;
const isThin = ([, , width, height]: Box): boolean =>
  Math.min(width, height) < thickestRule && Math.max(width, height) > 4 * thickestRule;

/** Joins the pieces of rules. */
export function joinRules({ rules, drawings }: Pick<PageContent, 'rules' | 'drawings'>): Rules {
  const level: Rule[] = [];
  const upright: Rule[] = [];
  for (const [x, y, width, height] of [...rules, ...drawings.filter(isThin)]) {
    if (width >= height) level.push({ at: y + height / 2, from: x, to: x + width });
    else upright.push({ at: x + width / 2, from: y, to: y + height });
  }
  return { level: join(level), upright: join(upright) };
}

function join(rules: readonly Rule[]): readonly Rule[] {
  const sorted = [...rules].sort((a, b) => a.at - b.at);
  const isNear = ({ at }: Rule, _: Rule, [first]: readonly Rule[]): boolean =>
    at - (first?.at ?? 0) < sameLine;
  return groupNeighbours(sorted, isNear).flatMap(joinPieces);
}

function joinPieces(group: readonly Rule[]): readonly Rule[] {
  const at = group.reduce((sum, rule) => sum + rule.at, 0) / group.length;
  const joined: { at: number; from: number; to: number }[] = [];
  for (const { from, to } of [...group].sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last !== undefined && from - last.to < widestGap) last.to = Math.max(last.to, to);
    else joined.push({ at, from, to });
  }
  return joined;
}

/** Places of rules, each once. */
export function placesOf(places: readonly number[]): readonly number[] {
  const sorted = [...places].sort((a, b) => a - b);
  return sorted.filter(
    (place, index) => index === 0 || place - (sorted[index - 1] ?? 0) >= sameLine,
  );
}

/** How much of the interval the rules at this place cover, from 0 to 1. */
export function coverage(rules: readonly Rule[], at: number, from: number, to: number): number {
  const covered = rules
    .filter((rule) => Math.abs(rule.at - at) < sameLine)
    .reduce((sum, rule) => sum + Math.max(0, Math.min(to, rule.to) - Math.max(from, rule.from)), 0);
  return covered / Math.max(1, to - from);
}

/** Rules that end nearer than this to each other meet. */
const reach = 4;

/** Whether a level and an upright rule cross or touch. */
export const meet = (level: Rule, upright: Rule): boolean =>
  upright.at > level.from - reach &&
  upright.at < level.to + reach &&
  level.at > upright.from - reach &&
  level.at < upright.to + reach;
