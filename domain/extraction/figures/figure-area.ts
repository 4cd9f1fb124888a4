import { sharedHeight, sharedWidth } from '../body-print.js';
import { bottomOf, holdsMiddle, unionOf } from '../boxes.js';
import type { Caption } from '../captions.js';
import type { Box, TextLine } from '../page-content.js';
import { fontOf } from '../prose.js';
import type { FigurePart } from './figure-parts.js';
import type { Sheet } from './sheet.js';
import { bandOf } from './sides.js';

/** A figure on its page. */
export interface FigureArea {
  readonly box: Box;
  readonly caption: Caption | null;
  /** Its labels and its caption. */
  readonly lines: readonly TextLine[];
}

/** Labels of axes, in any font, and titles in a font of their own stand so far from their plot at most, in points. */
const [labelGap, titleGap] = [16, 30];

/** The parts with the labels among them, around them and between them and the caption. */
export function drawnFigure(
  parts: readonly FigurePart[],
  caption: Caption | null,
  { page, obstacles, captions, textFonts }: Sheet,
): FigureArea {
  const box = cutAtText(unionOf(parts.map((part) => part.box)), obstacles);
  const text = new Set([...obstacles, ...captions.flatMap(({ lines }) => lines.map((l) => l.box))]);
  const near = [grown(box, labelGap), caption === null ? box : reachTo(box, caption.box)];
  const labels = page.lines.filter(
    (line) =>
      !text.has(line.box) &&
      (near.some((reach) => holdsMiddle(reach, line.box)) ||
        (!textFonts.has(fontOf(line)) && holdsMiddle(grown(box, titleGap), line.box))),
  );
  return {
    box: cutAtText(unionOf([box, ...labels.map((line) => line.box)]), obstacles),
    caption,
    lines: [...labels, ...(caption?.lines ?? [])],
  };
}

const grown = ([x, y, width, height]: Box, by: number): Box => [
  x - by,
  y - by,
  width + 2 * by,
  height + 2 * by,
];

/** A white ground reaches over the text around a plot. */
function cutAtText(box: Box, obstacles: readonly Box[]): Box {
  const [x, y, width, height] = box;
  const near = obstacles.filter(
    (wall) => sharedWidth(wall, box) > 0 && sharedHeight(wall, box) > 0,
  );
  const above = near.map(bottomOf).filter((bottom) => bottom < y + height * 0.4);
  const below = near.map(([, top]) => top).filter((top) => top > y + height * 0.6);
  const top = Math.max(y, ...above);
  return [x, top, width, Math.min(y + height, ...below) - top];
}

/** The box, made higher so that it ends at a caption above or below it. */
function reachTo(box: Box, caption: Box): Box {
  const top = bottomOf(caption) <= box[1] ? bottomOf(caption) : box[1];
  const bottom = caption[1] >= bottomOf(box) ? caption[1] : bottomOf(box);
  return [box[0], top, box[2], bottom - top];
}

/** In ems. More space ends a listing above its caption. */
const [spaceToCaption, spaceBetweenLines] = [4, 2.2];

/** A figure of text only, such as a listing: the lines above its caption. They stay in the text as well. */
export function printedFigure(caption: Caption, sheet: Sheet): FigureArea {
  const { page, captions } = sheet;
  const [left, right] = bandOf(caption.box, sheet);
  const ofCaptions = new Set(captions.flatMap(({ lines }) => lines));
  const above = page.lines
    .filter(({ box }) => bottomOf(box) <= caption.box[1] + 2 && box[0] >= left && box[0] < right)
    .sort((a, b) => bottomOf(b.box) - bottomOf(a.box));
  const boxes: Box[] = [];
  let top = caption.box[1];
  for (const line of above) {
    const ems = boxes.length === 0 ? spaceToCaption : spaceBetweenLines;
    if (ofCaptions.has(line) || top - bottomOf(line.box) > ems * line.fontSize) break;
    boxes.push(line.box);
    top = Math.min(top, line.box[1]);
  }
  return { box: unionOf(boxes.length > 0 ? boxes : [caption.box]), caption, lines: caption.lines };
}
