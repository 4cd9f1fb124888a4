import { groupBy } from '../../statistics/means.js';
import { rightOf, type Box } from '../page-content.js';
import { wideGap, columnsOf, isNumeric, rowsOf, type Word, type Row } from './columns.js';
import {
  compact,
  filledPlaces,
  coverage,
  meet,
  placesOf,
  type Cell,
  type Grid,
  type Rule,
  type Rules,
} from './grid.js';
import { textGrid } from './text-grid.js';

/** Rules that cross each other, and the box around them. */
interface Lattice extends Rules {
  readonly box: Box;
}

/** More rules than any table has: a drawing. */
const mostRules = 600;

/** Shorter ones are the ticks of an axis. */
const shortestRule = 9;

export function latticesOf(all: Rules): readonly Lattice[] {
  const isLong = ({ from, to }: Rule): boolean => to - from >= shortestRule;
  const [level, upright] = [all.level.filter(isLong), all.upright.filter(isLong)];
  if (level.length > mostRules || upright.length > mostRules) return [];
  const rules = [...level, ...upright];
  const { join, rootOf } = unionFind(rules.length);
  for (const [i, a] of level.entries()) {
    for (const [j, b] of upright.entries()) {
      if (meet(a, b)) join(i, level.length + j);
    }
  }
  const groups = groupBy(rules.entries(), ([index]) => rootOf(index));
  return [...groups.values()].flatMap((group) => {
    const members = {
      level: group.flatMap(([index, rule]) => (index < level.length ? [rule] : [])),
      upright: group.flatMap(([index, rule]) => (index < level.length ? [] : [rule])),
    };
    if (members.level.length < 2 || members.upright.length === 0) return [];
    const xs = [...members.level.flatMap(ends), ...members.upright.map(({ at }) => at)];
    const ys = [...members.upright.flatMap(ends), ...members.level.map(({ at }) => at)];
    const [x, y] = [Math.min(...xs), Math.min(...ys)];
    return [{ ...members, box: [x, y, Math.max(...xs) - x, Math.max(...ys) - y] as const }];
  });
}

const ends = ({ from, to }: Rule): number[] => [from, to];

/** The cells that the rules enclose. Where rows or columns are not ruled, the places of the words divide them. */
export function latticeGrid(lattice: Lattice, words: readonly Word[], space: number): Grid | null {
  const { level, upright, box } = lattice;
  const xs = placesOf([box[0], box[0] + box[2], ...upright.map(({ at }) => at)]);
  const ys = placesOf([box[1], box[1] + box[3], ...level.map(({ at }) => at)]);
  // A mere frame is drawn around code and charts.
  if (xs.length + ys.length < 5) return null;
  const text = rowsOf(words);
  const between = (
    list: readonly number[],
    split: (from: number, to: number) => readonly number[],
  ) =>
    [...list, ...list.slice(1).flatMap((to, index) => split(list[index] ?? 0, to))].sort(
      (a, b) => a - b,
    );
  const rowLines = between(ys, (from, to) => rowSplits(text, from, to, xs));
  if (rowLines.length - ys.length > text.length * 0.5) return textGrid(words, lattice, space);
  const lines = {
    xs: between(xs, (from, to) => columnSplits(words, from, to, space)),
    ys: rowLines,
  };
  const [rows, columns] = [lines.ys.length - 1, lines.xs.length - 1];
  if (rows * columns > mostUnits || rows < 1 || columns < 1) return null;
  const units = unitsOf(lines, words);
  const opensRight = (row: number, column: number): boolean => {
    const [x, y1, y2] = [lines.xs[column + 1] ?? 0, lines.ys[row] ?? 0, lines.ys[row + 1] ?? 0];
    if (xs.includes(x)) return coverage(upright, x, y1, y2) < 0.5;
    return (units[row] ?? []).flat().some((word) => crossesX(word, x));
  };
  const opensBelow = (row: number, column: number): boolean => {
    const [y, x1, x2] = [lines.ys[row + 1] ?? 0, lines.xs[column] ?? 0, lines.xs[column + 1] ?? 0];
    if (ys.includes(y)) return coverage(level, y, x1, x2) < 0.5;
    return [units[row], units[row + 1]].some((unit) =>
      unit?.[column]?.some((word) => crossesY(word, y)),
    );
  };
  const cells = joinUnits(
    units,
    closeRows(units, opensRight, lines.xs, space),
    closeColumns(units, opensBelow),
  );
  if (filledPlaces(cells) < rows * columns * leastFilled) return null;
  const grid = compact({ cells, headerRows: 0 });
  return { ...grid, headerRows: headerRowsOf(grid) };
}

/** Of the places between the rules. The words of a chart fill fewer. */
const leastFilled = 0.4;
/** More parts of the page than any table has. */
const mostUnits = 20_000;

/** The words in every part between two neighbouring lines of each direction: by row, then by column. */
type Units = readonly (readonly (readonly Word[])[])[];
type Opens = (row: number, column: number) => boolean;

function unitsOf(
  { xs, ys }: { readonly xs: readonly number[]; readonly ys: readonly number[] },
  words: readonly Word[],
): Units {
  const units = ys.slice(1).map(() => xs.slice(1).map((): Word[] => []));
  for (const word of words) {
    const row = slot(ys, word.baseline - word.fontSize * 0.3);
    const column = slot(xs, word.box[0] + word.box[2] / 2);
    if (row !== null && column !== null) units[row]?.[column]?.push(word);
  }
  return units;
}

/** Upright rules may end below the header: wide gaps then divide a row. */
function closeRows(units: Units, opens: Opens, xs: readonly number[], space: number): Opens {
  const divided = units.map((row, index) => {
    const open = row.slice(1).flatMap((_, column) => (opens(index, column) ? [column] : []));
    const gaps = open.filter((column) => {
      const [left, right] = [row[column] ?? [], row[column + 1] ?? []];
      if (left.length === 0 || right.length === 0) return false;
      const end = Math.max(...left.map(({ box }) => rightOf(box)));
      const start = Math.min(...right.map(({ box }) => box[0]));
      return start - end > wideGap(space) * (right[0]?.fontSize ?? 10);
    });
    return gaps.length > 0;
  });
  return (row, column) =>
    opens(row, column) &&
    !(
      divided[row] === true &&
      !(units[row] ?? []).flat().some((word) => crossesX(word, xs[column + 1] ?? 0))
    );
}

/** Level rules may leave out the column of names: names beside values then divide it. */
function closeColumns(units: Units, opens: Opens): Opens {
  const beside = (row: number, column: number): boolean => {
    const words = units[row]?.[column] ?? [];
    return (units[row] ?? []).some(
      (unit, index) =>
        index !== column &&
        unit.some(({ baseline }) => words.some((word) => Math.abs(word.baseline - baseline) < 1)),
    );
  };
  return (row, column) => {
    if (!opens(row, column)) return false;
    let [from, to] = [row, row + 1];
    while (from > 0 && opens(from - 1, column)) from -= 1;
    while (to < units.length - 1 && opens(to, column)) to += 1;
    if (to - from < fewestNames - 1) return true;
    const parts = Array.from({ length: to - from + 1 }, (_, index) => from + index);
    return parts.filter((part) => beside(part, column)).length < parts.length * 0.8;
  };
}

/** Fewer lines beside values may be one wrapped name. */
const fewestNames = 4;

function joinUnits(units: Units, opensRight: Opens, opensBelow: Opens): readonly Cell[] {
  const columns = units[0]?.length ?? 0;
  const all = units.flatMap((unit, row) => unit.map((words, column) => ({ row, column, words })));
  const { join, rootOf } = unionFind(all.length);
  for (const [index, { row, column }] of all.entries()) {
    if (column + 1 < columns && opensRight(row, column)) join(index, index + 1);
    if (row + 1 < units.length && opensBelow(row, column)) join(index, index + columns);
  }
  return Array.from(groupBy(all.entries(), ([index]) => rootOf(index)).values(), (group) => {
    const parts = group.map(([, part]) => part);
    const [rows, places] = [parts.map(({ row }) => row), parts.map(({ column }) => column)];
    return {
      row: Math.min(...rows),
      lastRow: Math.max(...rows),
      column: Math.min(...places),
      lastColumn: Math.max(...places),
      words: parts.flatMap(({ words }) => words),
    };
  });
}

function unionFind(count: number): {
  readonly join: (a: number, b: number) => void;
  readonly rootOf: (index: number) => number;
} {
  const parent = Array.from({ length: count }, (_, index) => index);
  const rootOf = (index: number): number => {
    let root = index;
    while (parent[root] !== root) {
      parent[root] = parent[parent[root] ?? root] ?? root;
      root = parent[root] ?? root;
    }
    return root;
  };
  return { join: (a, b) => (parent[rootOf(b)] = rootOf(a)), rootOf };
}

const crossesX = ({ box }: Word, x: number): boolean =>
  box[0] < x - 0.5 && box[0] + box[2] > x + 0.5;
const crossesY = ({ baseline, fontSize }: Word, y: number): boolean =>
  baseline - fontSize * 0.6 < y - 0.5 && baseline > y + 0.5;

function slot(lines: readonly number[], place: number): number | null {
  const after = lines.findIndex((line) => line > place);
  return after <= 0 ? null : after - 1;
}

const isWide = ({ column, lastColumn }: Cell): boolean => lastColumn > column;

/** The first row is a header if its print differs from the next ones, or it names columns. */
function headerRowsOf({ cells }: Grid): number {
  const first = cells.filter(({ row }) => row === 0);
  const rest = cells.filter(({ row }) => row > 0);
  const end = Math.max(0, ...first.map(({ lastRow }) => lastRow)) + 1;
  const allBold = (list: readonly Cell[]): boolean =>
    list.length > 0 && list.every(({ words }) => words.every(({ bold }) => bold));
  const below = cells.filter(({ row }) => row >= end);
  if (below.length === 0) return 0;
  if (allBold(first) && !allBold(below)) {
    const bodyRow = Math.min(
      ...rest.filter(({ words }) => !words.every(({ bold }) => bold)).map(({ row }) => row),
    );
    return Math.max(end, Math.min(bodyRow, 4) === bodyRow ? bodyRow : end);
  }
  const numbers = (list: readonly Cell[]): number =>
    list.filter(({ words }) => words.every(({ text }) => isNumeric(text))).length / list.length;
  return numbers(first) < 0.2 && (numbers(below) > 0.4 || first.length > 1 || first.some(isWide))
    ? end
    : 0;
}

/** Between rows that no rule divides: of numbers, or of texts too short to be lines of one cell. */
function rowSplits(
  text: readonly Row[],
  top: number,
  bottom: number,
  xs: readonly number[],
): readonly number[] {
  const rows = text.filter(({ first, last }) => first > top && last < bottom + 2);
  if (rows.length < 2) return [];
  const columns = xs.slice(1).map((x, index) => {
    const left = xs[index] ?? 0;
    const isInside = ({ box }: Word): boolean =>
      box[0] + box[2] / 2 > left && box[0] + box[2] / 2 < x;
    return { left, right: x, lines: rows.map(({ words }) => words.filter(isInside)) };
  });
  const filled = columns.filter(
    ({ lines }) => lines.filter((line) => line.length > 0).length >= rows.length * 0.8,
  );
  const numeric = columns.some(
    ({ lines }) => lines.filter(isNumericLine).length >= rows.length * 0.6,
  );
  const divided = numeric ? filled.length > 1 : filled.filter(isList).length > 1 && rows.length > 2;
  if (!divided) return [];
  return rows
    .slice(1)
    .map(({ first, fontSize }, index) => ((rows[index]?.last ?? 0) + first - fontSize * 0.7) / 2);
}

const isNumericLine = (words: readonly Word[]): boolean =>
  words.length > 0 && words.every(({ text }) => isNumeric(text));

/** Whether lines end although the first word of the next one had a place. */
function isList({
  left,
  right,
  lines,
}: {
  readonly left: number;
  readonly right: number;
  readonly lines: readonly (readonly Word[])[];
}): boolean {
  const texts = lines.filter((words) => words.length > 0);
  const starts = texts.map((words) => words[0]?.box[0] ?? 0);
  const room = right - left - 2 * (Math.min(...starts) - left);
  const early = texts.slice(1).filter(([next], index) => {
    const above = texts[index] ?? [];
    const end = Math.max(...above.map(({ box }) => rightOf(box)));
    const width = end - (above[0]?.box[0] ?? 0);
    return next !== undefined && width + next.box[2] + next.fontSize * 0.4 < room;
  });
  return early.length >= (texts.length - 1) * 0.8;
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
    columns.every(({ from, to }) =>
      row.words.some(({ box }) => box[0] < to && box[0] + box[2] > from),
    ),
  );
  if (columns.length < 2 || both.length < rows.length * 0.6) return [];
  const values = columns
    .slice(1)
    .some(
      ({ from, to }) =>
        inside.filter(({ box, text }) => box[0] < to && box[0] + box[2] > from && isNumeric(text))
          .length >=
        rows.length * 0.5,
    );
  return values
    ? columns.slice(1).map(({ from }, index) => ((columns[index]?.to ?? 0) + from) / 2)
    : [];
}
