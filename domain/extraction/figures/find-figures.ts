import { sharedHeight, sharedWidth, type BodyPrint } from '../body-print.js';
import { holdsMiddle, unionOf } from '../boxes.js';
import type { Caption } from '../captions.js';
import type { Box, PdfContent, TextLine } from '../page-content.js';
import type { PaperFigure, Place } from '../paper.js';
import { drawnFigure, printedFigure, type FigureArea } from './figure-area.js';
import type { FigurePart } from './figure-parts.js';
import { sheetsOf, type Sheet } from './sheet.js';
import { isDrawn, partsOn, usualSides, type Side } from './sides.js';

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
  const places = new Map<string, FigurePart[]>();
  for (const part of sheets.flatMap(({ parts }) => parts)) {
    const place = part.box.map(Math.round).join();
    places.set(place, [...(places.get(place) ?? []), part]);
  }
  const repeated = [...places.values()].filter(({ length }) => length >= fewestRepeats);
  return new Set(repeated.flat());
}
