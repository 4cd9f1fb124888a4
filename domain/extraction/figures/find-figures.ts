import { groupBy } from '../../statistics/means.js';
import { sharedHeight, sharedWidth, type BodyPrint } from '../lines.js';
import {
  bottomOf,
  grown,
  holdsMiddle,
  unionOf,
  rightOf,
  type Box,
  type PdfContent,
  type TextLine,
} from '../page-content.js';
import type { Caption } from '../captions.js';
import type { PaperFigure, Place } from '../paper.js';
import { fontOf, sheetsOf, type FigurePart, type Sheet } from './figure-parts.js';

interface FoundFigure {
  readonly figure: PaperFigure & Place;
  /** Its labels and its caption. They belong to no other text. */
  readonly lines: readonly TextLine[];
}

/**
 * The figures of a paper: one for each caption of a figure, and pictures and drawings of some size without one. Sub-figures
 * above one caption are one figure.
 * @param captions - of figures and tables
 * @param tables - whose marks and cells are left alone
 */
export function findFigures(
  content: PdfContent,
  body: BodyPrint,
  captions: readonly Caption[],
  tables: readonly Place[],
): readonly FoundFigure[] {
  const sheets = sheetsOf(content, body, captions, tables);
  const sides = usualSides(sheets);
  const furniture = repeatedParts(sheets);
  return sheets.flatMap((sheet, index) =>
    figuresOf(sheet, sides, furniture).map(({ box, caption, lines }) => ({
      figure: {
        page: index + 1,
        box,
        caption: caption?.text ?? '',
        number: caption?.number ?? null,
      },
      lines,
    })),
  );
}

function figuresOf(
  sheet: Sheet,
  sides: readonly Side[],
  furniture: ReadonlySet<FigurePart>,
): readonly FigureArea[] {
  const used = new Set<FigurePart>();
  const placed: FigureArea[] = [];
  for (const caption of sheet.captions.filter(({ kind }) => kind === 'figure')) {
    const free = sheet.parts.filter((part) => !used.has(part));
    const parts = sides.map((side) => partsOn(side, caption, sheet, free)).find(isDrawn) ?? [];
    for (const part of parts) used.add(part);
    placed.push(
      parts.length > 0 ? drawnFigure(parts, caption, sheet) : printedFigure(caption, sheet),
    );
  }
  const rest = sheet.parts.filter(
    (part) => !used.has(part) && !furniture.has(part) && part.marks.length > 0,
  );
  const others = mergeNear(rest, sheet.obstacles)
    .filter((parts) => standsAlone(parts, sheet.page.lines))
    .map((parts) => drawnFigure(parts, null, sheet));
  return [...placed, ...others].sort((a, b) => a.box[1] - b.box[1] || a.box[0] - b.box[0]);
}

/** A figure has parts at most so far apart, in points. */
const widestGap = 60;

/** Joins parts that no text keeps apart. */
function mergeNear(
  parts: readonly FigurePart[],
  obstacles: readonly Box[],
): readonly (readonly FigurePart[])[] {
  const groups: FigurePart[][] = [];
  for (const part of parts) {
    const near = groups.filter((group) => {
      const box = unionOf(group.map((other) => other.box));
      const gap = Math.max(-sharedWidth(box, part.box), -sharedHeight(box, part.box));
      const both = unionOf([box, part.box]);
      return gap < widestGap && !obstacles.some((wall) => holdsMiddle(both, wall));
    });
    const joined = [...near.flat(), part];
    for (const group of near) groups.splice(groups.indexOf(group), 1);
    groups.push(joined);
  }
  return groups;
}

/** Smaller pictures are logos and icons. In points and square points. */
const [smallestSide, smallestArea] = [50, 8000];
/** A frame, a shade or an ornament has fewer marks. */
const fewestMarks = 4;
/** Of the area: a listing in a frame has more print than a plot with labels. */
const mostPrint = 0.25;

function standsAlone(parts: readonly FigurePart[], lines: readonly TextLine[]): boolean {
  const box = unionOf(parts.map((part) => part.box));
  const [, , width, height] = box;
  if (Math.min(width, height) < smallestSide || width * height < smallestArea) return false;
  if (parts.some(({ hasPicture }) => hasPicture)) return true;
  const marks = parts.reduce((sum, part) => sum + part.marks.length, 0);
  const printed = lines.filter((line) => holdsMiddle(box, line.box));
  const print = printed.reduce((sum, line) => sum + line.box[2] * line.fontSize, 0);
  return marks >= fewestMarks && print < width * height * mostPrint;
}

/** What stands at one place of so many pages is no figure. */
const fewestRepeats = 3;

function repeatedParts(sheets: readonly Sheet[]): ReadonlySet<FigurePart> {
  const parts = sheets.flatMap((sheet) => sheet.parts);
  const places = groupBy(parts, ({ box }) => box.map(Math.round).join());
  const repeated = [...places.values()].filter(({ length }) => length >= fewestRepeats);
  return new Set(repeated.flat());
}

/** A figure on its page. */
interface FigureArea {
  readonly box: Box;
  readonly caption: Caption | null;
  /** Its labels and its caption. */
  readonly lines: readonly TextLine[];
}

/** Labels of axes, in any font, and titles in a font of their own stand so far from their plot at most, in points. */
const [labelGap, titleGap] = [16, 30];

/** The parts with the labels among them, around them and between them and the caption. */
function drawnFigure(
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
function printedFigure(caption: Caption, sheet: Sheet): FigureArea {
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

/** Where a figure is beside its caption. */
type Side = 'above' | 'below' | 'beside';

/** Above comes first, unless most captions of the paper have their figure below. */
function usualSides(sheets: readonly Sheet[]): readonly Side[] {
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

function isDrawn(parts: readonly FigurePart[]): boolean {
  const [, , width, height] = unionOf(parts.map(({ box }) => box));
  return Math.min(width, height) >= leastDrawn;
}

/** The parts on one side of a caption, up to the next text. */
function partsOn(
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
function bandOf(box: Box, { page, captions, twoColumns }: Sheet): readonly [number, number] {
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
