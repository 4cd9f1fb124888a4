import { bottomOf, holdsMiddle, rightOf } from '../boxes.js';
import type { Box, PageContent } from '../page-content.js';
import type { Rule, Rules } from './rules.js';

/**
 * Whether marks or curves are drawn in the box, or ticks along a side. Shaded cells begin or end where the table does, or where a
 * word is.
 */
export function isChart(box: Box, page: PageContent, rules: Rules): boolean {
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
function hasTicks(
  [x, y, width, height]: Box,
  page: PageContent,
  { level, upright }: Rules,
): boolean {
  const reach = longestTick;
  const around = [x - reach, y - reach, width + 2 * reach, height + 2 * reach] as const;
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
