import type { Box } from './page-content.js';

/** The smallest box around all of them; `[0, 0, 0, 0]` around none. */
export function unionOf(boxes: readonly Box[]): Box {
  if (boxes.length === 0) return [0, 0, 0, 0];
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const box of boxes) {
    left = Math.min(left, box[0]);
    top = Math.min(top, box[1]);
    right = Math.max(right, rightOf(box));
    bottom = Math.max(bottom, bottomOf(box));
  }
  return [left, top, right - left, bottom - top];
}

/** The white space between two boxes, across or down; negative where they overlap in both directions. */
export const gapBetween = (a: Box, b: Box): number =>
  Math.max(a[0] - rightOf(b), b[0] - rightOf(a), a[1] - bottomOf(b), b[1] - bottomOf(a));

export const roundTo10th = (value: number): number => Math.round(value * 10) / 10;

export const roundedBox = ([x, y, width, height]: Box): Box => [
  roundTo10th(x),
  roundTo10th(y),
  roundTo10th(width),
  roundTo10th(height),
];

/** A box with a margin of so many points around it. */
export const grown = ([x, y, width, height]: Box, by: number): Box => [
  x - by,
  y - by,
  width + 2 * by,
  height + 2 * by,
];

export const rightOf = (box: Box): number => box[0] + box[2];
export const bottomOf = (box: Box): number => box[1] + box[3];

/** The area that two boxes share; 0 if they only touch. */
export function sharedArea(a: Box, b: Box): number {
  const width = Math.min(rightOf(a), rightOf(b)) - Math.max(a[0], b[0]);
  const height = Math.min(bottomOf(a), bottomOf(b)) - Math.max(a[1], b[1]);
  return width > 0 && height > 0 ? width * height : 0;
}

/** Whether the middle of `inner` lies in `outer`. */
export function holdsMiddle(outer: Box, [x, y, width, height]: Box): boolean {
  const [middleX, middleY] = [x + width / 2, y + height / 2];
  return (
    middleX >= outer[0] &&
    middleX <= rightOf(outer) &&
    middleY >= outer[1] &&
    middleY <= bottomOf(outer)
  );
}
