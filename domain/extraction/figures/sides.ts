import { sharedHeight, sharedWidth } from '../body-print.js';
import { bottomOf, holdsMiddle, rightOf, unionOf } from '../boxes.js';
import type { Caption } from '../captions.js';
import type { Box } from '../page-content.js';
import type { FigurePart } from './figure-parts.js';
import type { Sheet } from './sheet.js';

/** Where a figure is beside its caption. */
export type Side = 'above' | 'below' | 'beside';

/** Above comes first, unless most captions of the paper have their figure below. */
export function usualSides(sheets: readonly Sheet[]): readonly Side[] {
  const counts = { above: 0, below: 0 };
  for (const sheet of sheets) {
    for (const caption of sheet.captions.filter(({ kind }) => kind === 'figure')) {
      const above = isDrawn(partsOn('above', caption, sheet, sheet.parts));
      const below = isDrawn(partsOn('below', caption, sheet, sheet.parts));
      if (above && !below) counts.above += 1;
      if (below && !above) counts.below += 1;
    }
  }
  return counts.below > counts.above ? ['below', 'above', 'beside'] : ['above', 'below', 'beside'];
}

/** A rule or a letter drawn as a path is no figure. In points. */
const leastDrawn = 20;

export function isDrawn(parts: readonly FigurePart[]): boolean {
  const [, , width, height] = unionOf(parts.map(({ box }) => box));
  return Math.min(width, height) >= leastDrawn;
}

/** The parts on one side of a caption, up to the next text. */
export function partsOn(
  side: Side,
  { box }: Caption,
  sheet: Sheet,
  parts: readonly FigurePart[],
): readonly FigurePart[] {
  const [left, right] = bandOf(box, sheet);
  const band: Box = [left, 0, right - left, sheet.page.height];
  const walls = sheet.obstacles.filter((wall) => wall !== box && sharedWidth(wall, band) > 2);
  const inBand = parts.filter((part) => holdsMiddle(band, part.box));
  const middle = ({ box: [, y, , height] }: FigurePart): number => y + height / 2;
  switch (side) {
    case 'above': {
      const end = Math.max(0, ...walls.map(bottomOf).filter((y) => y <= box[1] + 2));
      return inBand.filter((part) => middle(part) > end && middle(part) < box[1]);
    }
    case 'below': {
      const tops = walls.map(([, y]) => y).filter((y) => y >= bottomOf(box) - 2);
      const end = Math.min(sheet.page.height, ...tops);
      return inBand.filter((part) => middle(part) < end && middle(part) > bottomOf(box));
    }
    case 'beside':
      return parts.filter(
        (part) => sharedHeight(part.box, box) > 0 && sharedWidth(part.box, box) < 5,
      );
  }
}

/** From where to where a figure with this caption may reach: over its column or the page, but not over the caption beside it. */
export function bandOf(box: Box, { page, captions, twoColumns }: Sheet): readonly [number, number] {
  const centre = page.width / 2;
  let [left, right] = [0, page.width];
  if (twoColumns && rightOf(box) < centre + 5) right = centre;
  else if (twoColumns && box[0] > centre - 5) left = centre;
  for (const { box: other } of captions) {
    if (sharedHeight(other, box) <= 0) continue;
    if (other[0] >= rightOf(box)) right = Math.min(right, (rightOf(box) + other[0]) / 2);
    else if (rightOf(other) <= box[0]) left = Math.max(left, (rightOf(other) + box[0]) / 2);
  }
  return [left, right];
}
