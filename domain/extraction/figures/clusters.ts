import { bottomOf, rightOf } from '../boxes.js';
import type { Box } from '../page-content.js';

/** The side of a grid cell, in points. */
const cellSize = 4;

/**
 * Groups boxes that overlap or are at most about 8 points apart. The effort grows with the number of boxes and the area of the
 * page, because a drawing may have 50,000 paths.
 * @returns the indexes of each group's boxes
 */
export function clusterBoxes(boxes: readonly Box[], width: number, height: number): number[][] {
  if (boxes.length < 2) return boxes.map((_, index) => [index]);
  const columns = Math.max(1, Math.ceil(width / cellSize));
  const rows = Math.max(1, Math.ceil(height / cellSize));
  const column = (x: number): number => clamp(Math.floor(x / cellSize), columns);
  const row = (y: number): number => clamp(Math.floor(y / cellSize), rows);
  const inked = fillGrid(
    boxes.map((box) => [column(box[0]), row(box[1]), column(rightOf(box)), row(bottomOf(box))]),
    columns,
    rows,
  );
  const labels = labelComponents(inked, columns, rows);
  const groups = new Map<number, number[]>();
  for (const [index, box] of boxes.entries()) {
    const label = labels[row(box[1]) * columns + column(box[0])] ?? 0;
    const group = groups.get(label);
    if (group === undefined) groups.set(label, [index]);
    else group.push(index);
  }
  return [...groups.values()];
}

const clamp = (value: number, count: number): number => Math.min(count - 1, Math.max(0, value));

/** 1 for each cell in one of the ranges: adds up the corners, so that a large box costs no more than a small one. */
function fillGrid(
  ranges: readonly (readonly [number, number, number, number])[],
  columns: number,
  rows: number,
): Uint8Array {
  const stride = columns + 1;
  const changes = new Int32Array(stride * (rows + 1));
  const add = (column: number, row: number, amount: number): void => {
    changes[row * stride + column] = (changes[row * stride + column] ?? 0) + amount;
  };
  for (const [left, top, right, bottom] of ranges) {
    add(left, top, 1);
    add(right + 1, top, -1);
    add(left, bottom + 1, -1);
    add(right + 1, bottom + 1, 1);
  }
  const inked = new Uint8Array(columns * rows);
  /** For each column the ranges that cover its cell of the row. */
  const covering = new Int32Array(columns);
  for (let row = 0; row < rows; row += 1) {
    let change = 0;
    for (let column = 0; column < columns; column += 1) {
      change += changes[row * stride + column] ?? 0;
      const count = (covering[column] ?? 0) + change;
      covering[column] = count;
      if (count > 0) inked[row * columns + column] = 1;
    }
  }
  return inked;
}

/** The most steps from a cell to another one of its component: one empty cell may lie between them. */
const reach = 2;

/** A number from 1 for each inked cell, equal for cells that are connected. */
function labelComponents(inked: Uint8Array, columns: number, rows: number): Int32Array {
  const labels = new Int32Array(inked.length);
  let last = 0;
  for (let start = inked.indexOf(1); start !== -1; start = inked.indexOf(1, start + 1)) {
    if (labels[start] !== 0) continue;
    last += 1;
    labels[start] = last;
    const pending = [start];
    for (let cell = pending.pop(); cell !== undefined; cell = pending.pop()) {
      const [x, y] = [cell % columns, Math.floor(cell / columns)];
      for (let row = Math.max(0, y - reach); row <= Math.min(rows - 1, y + reach); row += 1) {
        for (let at = Math.max(0, x - reach); at <= Math.min(columns - 1, x + reach); at += 1) {
          const other = row * columns + at;
          if (inked[other] === 0 || labels[other] !== 0) continue;
          labels[other] = last;
          pending.push(other);
        }
      }
    }
  }
  return labels;
}
