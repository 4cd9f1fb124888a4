import { isMonospaced, sharedHeight, sharedWidth } from '../lines.js';
import type { Caption } from '../captions.js';
import {
  grown,
  holdsMiddle,
  unionOf,
  bottomOf,
  rightOf,
  type Box,
  type PageContent,
} from '../page-content.js';
import {
  phrasesOf,
  isNumeric as isNumber,
  spaceOf,
  wordsOf,
  rowsOf,
  type Word,
  type Row,
} from './columns.js';
import {
  columnCount,
  filledPlaces,
  rowCount,
  joinRules,
  meet,
  type Grid,
  type Rule,
  type Rules,
} from './grid.js';
import { latticeGrid, latticesOf } from './lattice.js';
import { textGrid } from './text-grid.js';

export interface TableOnPage {
  readonly grid: Grid;
  /** Around its rules and words. */
  readonly box: Box;
  /** False if each cell is a line of a table whose columns are not known; the lines then stay in the text as well. */
  readonly isRead: boolean;
}

/**
 * The tables of a page: first those with rules in both directions, then those between level rules. Charts and programs have
 * rules as well, so a table without a caption has to be certain.
 */
export function tablesOnPage(
  page: PageContent,
  captions: readonly Caption[],
): readonly TableOnPage[] {
  const rules = joinRules(page);
  // Every way to read a table needs one above it and one below it.
  if (rules.level.length < 2) return [];
  const captionLines = new Set(captions.flatMap(({ lines }) => lines));
  let words = wordsOf(page).filter(({ line }) => !captionLines.has(line));
  const space = spaceOf(words);
  const found: TableOnPage[] = [];
  const take = (
    around: Box,
    read: (inside: readonly Word[]) => Grid | null,
    certain: boolean,
  ): void => {
    const inside = words.filter(({ box }) => holdsMiddle(around, box));
    const grid = inside.length === 0 ? null : read(inside);
    if (grid === null || !isTable(grid)) return;
    const used = new Set<Word>(grid.cells.flatMap((cell) => cell.words));
    const box = unionOf([around, ...[...used].map((word) => word.box)]);
    const caption = nearestCaption(box, captions);
    if (caption?.kind === 'figure') return;
    if (caption === undefined && !(certain || isNumeric(grid))) return;
    if (
      caption === undefined &&
      (isCode(inside) || isDrawn(inside) || isChart(around, page, rules))
    )
      return;
    words = words.filter((word) => !used.has(word));
    found.push({ grid, box, isRead: true });
  };
  for (const lattice of latticesOf(rules)) {
    take(lattice.box, (inside) => latticeGrid(lattice, inside, space), true);
  }
  for (const region of ruledRegions(rules, words, captions, space)) {
    const within = { level: region.rules, upright: [] };
    take(region.box, (inside) => textGrid(inside, within, space), region.full >= 3);
  }
  return found;
}

/** Of the places of a table. The labels of a chart fill fewer. */
const leastFilled = 0.35;

export function isTable(grid: Grid): boolean {
  const [rows, columns] = [rowCount(grid), columnCount(grid)];
  return (
    rows >= 2 &&
    columns >= 2 &&
    grid.cells.length >= 4 &&
    filledPlaces(grid.cells) > rows * columns * leastFilled
  );
}

/** Whether most cells beside the names of rows are numbers, in several columns. */
function isNumeric(grid: Grid): boolean {
  const values = grid.cells.filter(({ row, column }) => row >= grid.headerRows && column > 0);
  const numbers = values.filter(({ words }) => words.every(({ text }) => isNumber(text)));
  return columnCount(grid) >= 3 && numbers.length > values.length / 2;
}

/** Programs and their output are set in fonts of one width for all characters. */
const isCode = (words: readonly Word[]): boolean =>
  words.filter(({ font }) => isMonospaced(font)).length > words.length * 0.7;

/** The points of a chart may be characters. */
const isDrawn = (words: readonly Word[]): boolean =>
  words.filter(({ text }) => /[\p{L}\p{N}]/u.test(text)).length < words.length / 2;

/**
 * Whether marks or curves are drawn in the box, or ticks along a side. Shaded cells begin or end where the table does, or where a
 * word is.
 */
function isChart(box: Box, page: PageContent, rules: Rules): boolean {
  const inside = page.drawings.filter((drawing) => holdsMiddle(box, drawing));
  const marks = inside.filter(
    ([, , width, height]) =>
      Math.max(width, height) < largestMark && Math.min(width, height) > smallestMark,
  );
  const curves = inside.filter(
    ([x, y, width, height]) =>
      width > box[2] / 5 &&
      height > box[3] / 5 &&
      Math.abs(x - box[0]) > 4 &&
      Math.abs(x + width - rightOf(box)) > 4 &&
      Math.abs(y - box[1]) > 4 &&
      Math.abs(y + height - bottomOf(box)) > 4,
  );
  return (
    marks.length >= fewestMarks ||
    curves.length > 0 ||
    hasTicks(box, page, rules) ||
    hasDots(inside, rules)
  );
}

/** Whether small marks are drawn that join no rules. */
function hasDots(drawings: readonly Box[], { level, upright }: Rules): boolean {
  const isOn = (at: number, across: number, rule: Rule): boolean =>
    Math.abs(rule.at - at) < 4 && rule.from < across + 4 && rule.to > across - 4;
  let count = 0;
  for (const [x, y, width, height] of drawings) {
    if (Math.max(width, height) > smallestMark || Math.min(width, height) < 1) continue;
    const [middleX, middleY] = [x + width / 2, y + height / 2];
    if (level.some((rule) => isOn(middleY, middleX, rule))) continue;
    if (upright.some((rule) => isOn(middleX, middleY, rule))) continue;
    count += 1;
    if (count >= fewestDots) return true;
  }
  return false;
}

const fewestDots = 8;

/** Whether short lines stand side by side along a level or an upright axis. */
function hasTicks(area: Box, page: PageContent, { level, upright }: Rules): boolean {
  const around = grown(area, longestTick);
  const counts = new Map<string, number>();
  for (const line of [...page.rules, ...page.drawings]) {
    const isLevel = line[2] > line[3];
    const [short, long] = [Math.min(line[2], line[3]), Math.max(line[2], line[3])];
    if (short > thickestTick || long < shortestTick || long > longestTick) continue;
    if (!holdsMiddle(around, line)) continue;
    // Long rules may be drawn with short pieces where they cross.
    if (isLevel ? isPiece(line[1], line[0], long, level) : isPiece(line[0], line[1], long, upright))
      continue;
    const axis = isLevel ? `x ${Math.round(line[0])}` : `y ${Math.round(line[1])}`;
    counts.set(axis, (counts.get(axis) ?? 0) + 1);
  }
  return [...counts.values()].some((count) => count >= fewestTicks);
}

/** Whether rules go on at both ends of a line. */
function isPiece(at: number, from: number, length: number, rules: readonly Rule[]): boolean {
  const near = rules.filter((rule) => Math.abs(rule.at - at) < 3);
  return [from - 2, from + length + 2].every((end) =>
    near.some((rule) => rule.from <= end && rule.to >= end),
  );
}

/** In points. */
const [shortestTick, longestTick, thickestTick] = [2.8, 9, 2];
const fewestTicks = 4;

/** In points. Smaller ones join the rules of a table at their corners. */
const smallestMark = 2.5;
const largestMark = 8;
const fewestMarks = 4;

/** A part of the page between level rules. */
interface RuledRegion {
  readonly box: Box;
  readonly rules: readonly Rule[];
  /** The number of rules of its whole width. */
  readonly full: number;
}

/** Rules of one table begin and end at the same places, give or take this. */
const sameEnd = 6;

/** Parts between rules of one width that hold rows with gaps, not prose. */
function ruledRegions(
  { level, upright }: Rules,
  words: readonly Word[],
  captions: readonly Caption[],
  space: number,
): readonly RuledRegion[] {
  const rules = level.filter((rule) => !isFrame(rule, upright));
  const sorted = rules.filter(({ from, to }) => to - from > 40).sort((a, b) => a.at - b.at);
  const used = new Set<Rule>();
  return sorted.flatMap((top): readonly RuledRegion[] => {
    if (used.has(top)) return [];
    const chain = [top];
    for (const rule of sorted) {
      const last = chain.at(-1) ?? top;
      if (rule.at <= last.at || !isAlike(top, rule)) continue;
      const divided = captions.some(
        ({ box }) =>
          box[1] > last.at - 2 &&
          box[1] < rule.at &&
          box[0] < rule.to &&
          box[0] + box[2] > rule.from,
      );
      const rows = rowsBetween(words, last, rule);
      if (divided || rows.some(isCaption) || !isTabular(rows, rule, space)) break;
      chain.push(rule);
    }
    const bottom = chain.at(-1) ?? top;
    if (chain.length < 2) return [];
    const box = [top.from - 3, top.at, top.to - top.from + 6, bottom.at - top.at] as const;
    const inside = rules.filter(
      ({ at, from, to }) =>
        at >= top.at && at <= bottom.at && from > top.from - 10 && to < top.to + 10,
    );
    for (const rule of inside) used.add(rule);
    return [{ box, rules: inside, full: chain.length }];
  });
}

/** The side of a frame, or an axis with ticks. */
function isFrame(rule: Rule, upright: readonly Rule[]): boolean {
  const met = upright.filter((other) => meet(rule, other));
  const meetsAt = (x: number): boolean => met.some(({ at }) => Math.abs(at - x) < 4);
  const ticks = met.filter(({ from, to }) => to - from < longestTickMark);
  return (meetsAt(rule.from) && meetsAt(rule.to)) || ticks.length >= 3;
}

const longestTickMark = 9;

/** A caption in print that the captions' own rules do not know. */
const isCaption = ({ words: [first, second] }: Row): boolean =>
  /^table$/i.test(first?.text ?? '') && /^[A-Z]?[-\d.]+[.:]?$/.test(second?.text ?? '');

const isAlike = (a: Rule, b: Rule): boolean =>
  Math.abs(a.from - b.from) < sameEnd && Math.abs(a.to - b.to) < sameEnd;

const rowsBetween = (words: readonly Word[], top: Rule, bottom: Rule): readonly Row[] =>
  rowsOf(
    words.filter(({ box, baseline }) => {
      const middle = box[0] + box[2] / 2;
      return (
        baseline > top.at &&
        baseline < bottom.at + 1 &&
        middle > top.from - 3 &&
        middle < top.to + 3
      );
    }),
  );

function isTabular(rows: readonly Row[], { from, to }: Rule, space: number): boolean {
  const cells: number[] = [];
  const prose = rows.filter((row) => {
    const phrases = phrasesOf(row, space);
    const starts = phrases.map((phrase) => phrase[0]?.box[0] ?? 0);
    cells.push(...starts.slice(1));
    const [start = 0] = starts;
    // A cell beside the first one may have several lines.
    if (phrases.length > 1 || cells.some((x) => Math.abs(x - start) < sameEnd)) return false;
    return Math.max(...row.words.map(({ box }) => rightOf(box))) - start > (to - from) * 0.7;
  });
  return rows.length > 0 && prose.length <= rows.length * 0.3;
}

/** A caption stands at most this far from its table, in points. */
const farthest = 60;

/** The caption of each table of a page: the nearest pairs first, every caption once. */
export function matchCaptions(
  boxes: readonly Box[],
  captions: readonly Caption[],
): ReadonlyMap<Box, Caption> {
  const pairs = boxes
    .flatMap((box) => captions.map((caption) => ({ box, caption, gap: gapOf(box, caption) })))
    .filter(({ gap }) => gap < farthest)
    .sort((a, b) => a.gap - b.gap);
  const matches = new Map<Box, Caption>();
  const used = new Set<Caption>();
  for (const { box, caption } of pairs) {
    if (matches.has(box) || used.has(caption)) continue;
    matches.set(box, caption);
    used.add(caption);
  }
  return matches;
}

/** From the caption above or below the table, or beside it where neither is. */
function gapOf(box: Box, caption: Caption): number {
  const [wide, high] = [sharedWidth(box, caption.box), sharedHeight(box, caption.box)];
  if (wide > 0) return Math.max(0, -high);
  return high > 0 ? Math.max(0, -wide) : Infinity;
}

export const nearestCaption = (box: Box, captions: readonly Caption[]): Caption | undefined =>
  captions
    .map((caption) => ({ caption, gap: gapOf(box, caption) }))
    .filter(({ gap }) => gap < farthest)
    .sort((a, b) => a.gap - b.gap)[0]?.caption;
