import { groupBy } from '../../groups.js';
import { sharedHeight, sharedWidth, type BodyPrint } from '../body-print.js';
import { bottomOf, grown, holdsMiddle, unionOf } from '../boxes.js';
import type { Caption } from '../captions.js';
import type { Box, PdfContent, TextLine } from '../page-content.js';
import type { PaperFigure, Place } from '../paper.js';
import { fontOf } from '../prose.js';
import type { FigurePart } from './figure-parts.js';
import { sheetsOf, type Sheet } from './sheet.js';
import { isDrawn, partsOn, usualSides, bandOf, type Side } from './sides.js';

export interface FoundFigure {
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
