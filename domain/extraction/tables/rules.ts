import { groupNeighbours } from '../../groups.js';
import type { Box, PageContent } from '../page-content.js';

/** A drawn line. `at` is its y if it is level, its x if it is upright. */
export interface Rule {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** Lines nearer than this are drawn as one: double rules, and the frames of neighbouring cells. */
const sameLine = 3;
/** Of the pieces of a line. */
const widestGap = 3;

export interface Rules {
  readonly level: readonly Rule[];
  readonly upright: readonly Rule[];
}

/** An area is drawn as a rule if it is this thin and much longer. */
const thickestRule = 4.5;
const isThin = ([, , width, height]: Box): boolean =>
  Math.min(width, height) < thickestRule && Math.max(width, height) > 4 * thickestRule;

/** Joins the pieces of rules. */
export function joinRules({ rules, drawings }: Pick<PageContent, 'rules' | 'drawings'>): Rules {
  const level: Rule[] = [];
  const upright: Rule[] = [];
  for (const [x, y, width, height] of [...rules, ...drawings.filter(isThin)]) {
    if (width >= height) level.push({ at: y + height / 2, from: x, to: x + width });
    else upright.push({ at: x + width / 2, from: y, to: y + height });
  }
  return { level: join(level), upright: join(upright) };
}

function join(rules: readonly Rule[]): readonly Rule[] {
  const sorted = [...rules].sort((a, b) => a.at - b.at);
  const isNear = ({ at }: Rule, _: Rule, [first]: readonly Rule[]): boolean =>
    at - (first?.at ?? 0) < sameLine;
  return groupNeighbours(sorted, isNear).flatMap(joinPieces);
}

function joinPieces(group: readonly Rule[]): readonly Rule[] {
  const at = group.reduce((sum, rule) => sum + rule.at, 0) / group.length;
  const joined: { at: number; from: number; to: number }[] = [];
  for (const { from, to } of [...group].sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last !== undefined && from - last.to < widestGap) last.to = Math.max(last.to, to);
    else joined.push({ at, from, to });
  }
  return joined;
}

/** Places of rules, each once. */
export function placesOf(places: readonly number[]): readonly number[] {
  const sorted = [...places].sort((a, b) => a - b);
  return sorted.filter(
    (place, index) => index === 0 || place - (sorted[index - 1] ?? 0) >= sameLine,
  );
}

/** How much of the interval the rules at this place cover, from 0 to 1. */
export function coverage(rules: readonly Rule[], at: number, from: number, to: number): number {
  const covered = rules
    .filter((rule) => Math.abs(rule.at - at) < sameLine)
    .reduce((sum, rule) => sum + Math.max(0, Math.min(to, rule.to) - Math.max(from, rule.from)), 0);
  return covered / Math.max(1, to - from);
}

/** Rules that end nearer than this to each other meet. */
const reach = 4;

/** Whether a level and an upright rule cross or touch. */
export const meet = (level: Rule, upright: Rule): boolean =>
  upright.at > level.from - reach &&
  upright.at < level.to + reach &&
  level.at > upright.from - reach &&
  level.at < upright.to + reach;
