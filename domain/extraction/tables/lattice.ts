import type { Box } from '../page-content.js';
import { columnsOf } from './columns.js';
import { compact, type Cell, type Grid } from './grid.js';
import { coverage, placesOf, type Rule, type Rules } from './rules.js';
import { isNumeric, rowsOf, type Row, type Word } from './words.js';

/** Rules that cross each other, and the box around them. */
export interface Lattice extends Rules {
  readonly box: Box;
}

/** More rules than any table has: a drawing. */
const mostRules = 600;
/** Rules that end nearer than this to each other meet. */
const reach = 4;

export function latticesOf({ level, upright }: Rules): readonly Lattice[] {
  if (level.length > mostRules || upright.length > mostRules) return [];
  const rules = [...level, ...upright];
  const group = rules.map((_, index) => index);
  const rootOf = (index: number): number => {
    let root = index;
    while (group[root] !== root) root = group[root] ?? root;
    return root;
  };
  for (const [i, a] of level.entries()) {
    for (const [j, b] of upright.entries()) {
      if (meet(a, b)) group[rootOf(level.length + j)] = rootOf(i);
    }
  }
  const groups = new Map<number, { level: Rule[]; upright: Rule[] }>();
  for (const [index, rule] of rules.entries()) {
    const root = rootOf(index);
    const members = groups.get(root) ?? { level: [], upright: [] };
    groups.set(root, members);
    members[index < level.length ? 'level' : 'upright'].push(rule);
  }
  return [...groups.values()].flatMap((members) => {
    if (members.level.length < 2 || members.upright.length === 0) return [];
    const xs = [...members.level.flatMap(ends), ...members.upright.map(({ at }) => at)];
    const ys = [...members.upright.flatMap(ends), ...members.level.map(({ at }) => at)];
    const [x, y] = [Math.min(...xs), Math.min(...ys)];
    return [{ ...members, box: [x, y, Math.max(...xs) - x, Math.max(...ys) - y] as const }];
  });
}

const ends = ({ from, to }: Rule): number[] => [from, to];
const meet = (a: Rule, b: Rule): boolean =>
  b.at > a.from - reach && b.at < a.to + reach && a.at > b.from - reach && a.at < b.to + reach;

/** The cells that the rules enclose. Where rows or columns are not ruled, the places of the words divide them. */
export function latticeGrid(lattice: Lattice, words: readonly Word[], space: number): Grid | null {
  const { level, upright, box } = lattice;
  const xs = placesOf([box[0], box[0] + box[2], ...upright.map(({ at }) => at)]);
  const ys = placesOf([box[1], box[1] + box[3], ...level.map(({ at }) => at)]);
  const text = rowsOf(words);
  const rowLines = [...ys, ...ys.slice(1).flatMap((y, index) => splits(text, ys[index] ?? 0, y, xs))].sort(
    (a, b) => a - b,
  );
  const columnLines = [
    ...xs,
    ...xs.slice(1).flatMap((x, index) => columnSplits(words, xs[index] ?? 0, x, space)),
  ].sort((a, b) => a - b);
  const isRow = (y: number): boolean => ys.includes(y);
  const isColumn = (x: number): boolean => xs.includes(x);
  const [rows, columns] = [rowLines.length - 1, columnLines.length - 1];
  if (rows * columns > 20_000 || rows < 1 || columns < 1) return null;
  const home = Array.from({ length: rows * columns }, (_, index) => index);
  const rootOf = (index: number): number => {
    let root = index;
    while (home[root] !== root) root = home[root] ?? root;
    return root;
  };
  const at = (list: readonly number[], index: number): number => list[index] ?? 0;
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const [x1, x2] = [at(columnLines, column), at(columnLines, column + 1)];
      const [y1, y2] = [at(rowLines, row), at(rowLines, row + 1)];
      const index = row * columns + column;
      const openRight = isColumn(x2)
        ? coverage(upright, x2, y1, y2) < 0.5
        : words.some((word) => crossesX(word, x2) && word.baseline > y1 && word.baseline < y2 + 2);
      if (column + 1 < columns && openRight) home[rootOf(index + 1)] = rootOf(index);
      const openBelow = isRow(y2)
        ? coverage(level, y2, x1, x2) < 0.5
        : words.some((word) => crossesY(word, y2) && word.box[0] > x1 - 2 && word.box[0] < x2);
      if (row + 1 < rows && openBelow) home[rootOf(index + columns)] = rootOf(index);
    }
  }
  const places = new Map<number, { rows: number[]; columns: number[]; words: Word[] }>();
  for (let index = 0; index < rows * columns; index += 1) {
    const root = rootOf(index);
    const place = places.get(root) ?? { rows: [], columns: [], words: [] };
    places.set(root, place);
    place.rows.push(Math.floor(index / columns));
    place.columns.push(index % columns);
  }
  for (const word of words) {
    const row = slot(rowLines, word.baseline - word.fontSize * 0.3);
    const column = slot(columnLines, word.box[0] + word.box[2] / 2);
    if (row !== null && column !== null) places.get(rootOf(row * columns + column))?.words.push(word);
  }
  const cells = [...places.values()].map((place): Cell => ({
    row: Math.min(...place.rows),
    lastRow: Math.max(...place.rows),
    column: Math.min(...place.columns),
    lastColumn: Math.max(...place.columns),
    words: place.words,
  }));
  const grid = compact({ cells, headerRows: 0 });
  return { ...grid, headerRows: headerRowsOf(grid) };
}

const crossesX = ({ box }: Word, x: number): boolean => box[0] < x - 0.5 && box[0] + box[2] > x + 0.5;
const crossesY = ({ baseline, fontSize }: Word, y: number): boolean =>
  baseline - fontSize * 0.6 < y - 0.5 && baseline > y + 0.5;

function slot(lines: readonly number[], place: number): number | null {
  const after = lines.findIndex((line) => line > place);
  return after <= 0 ? null : after - 1;
}

/** Between rows of numbers that no rule divides. */
function splits(
  text: readonly Row[],
  top: number,
  bottom: number,
  xs: readonly number[],
): readonly number[] {
  const rows = text.filter(({ first, last }) => first > top && last < bottom + 2);
  if (rows.length < 2) return [];
  const columns = xs.slice(1).map((x, index) =>
    rows.map(({ words }) => words.filter(({ box }) => box[0] + box[2] / 2 > (xs[index] ?? 0) && box[0] + box[2] / 2 < x)),
  );
  const numeric = columns.filter(
    (column) =>
      column.filter((words) => words.length > 0 && words.every(({ text: value }) => isNumeric(value)))
        .length >=
      rows.length * 0.6,
  );
  const filled = columns.filter((column) => column.filter((words) => words.length > 0).length >= rows.length * 0.8);
  if (numeric.length === 0 || filled.length < 2) return [];
  return rows.slice(1).map(({ first, fontSize }, index) => ((rows[index]?.last ?? 0) + first - fontSize * 0.7) / 2);
}

/** Between columns of words that no rule divides. */
function columnSplits(
  words: readonly Word[],
  left: number,
  right: number,
  space: number,
): readonly number[] {
  const inside = words.filter(({ box }) => box[0] > left - 2 && box[0] + box[2] < right + 2);
  const rows = rowsOf(inside);
  if (rows.length < 3) return [];
  const columns = columnsOf(rows, space);
  const both = rows.filter((row) =>
    columns.every(({ from, to }) => row.words.some(({ box }) => box[0] < to && box[0] + box[2] > from)),
  );
  if (columns.length < 2 || both.length < rows.length * 0.6) return [];
  const values = columns.slice(1).some(({ from, to }) =>
    inside.filter(({ box, text }) => box[0] < to && box[0] + box[2] > from && isNumeric(text)).length >= rows.length * 0.5,
  );
  return values ? columns.slice(1).map(({ from }, index) => ((columns[index]?.to ?? 0) + from) / 2) : [];
}

/** The first row is a header if its print differs from the next ones, or it names columns of numbers. */
function headerRowsOf({ cells }: Grid): number {
  const first = cells.filter(({ row }) => row === 0);
  const rest = cells.filter(({ row }) => row > 0);
  const end = Math.max(0, ...first.map(({ lastRow }) => lastRow)) + 1;
  const allBold = (list: readonly Cell[]): boolean =>
    list.length > 0 && list.every(({ words }) => words.every(({ bold }) => bold));
  const below = cells.filter(({ row }) => row >= end);
  if (below.length === 0) return 0;
  if (allBold(first) && !allBold(below)) {
    const bodyRow = Math.min(...rest.filter(({ words }) => !words.every(({ bold }) => bold)).map(({ row }) => row));
    return Math.max(end, Math.min(bodyRow, 4) === bodyRow ? bodyRow : end);
  }
  const numbers = (list: readonly Cell[]): number =>
    list.filter(({ words }) => words.every(({ text }) => isNumeric(text))).length / list.length;
  return numbers(first) < 0.2 && (numbers(below) > 0.4 || first.length > 1) ? end : 0;
}
