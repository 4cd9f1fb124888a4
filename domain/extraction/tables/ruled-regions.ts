import { rightOf } from '../boxes.js';
import type { Caption } from '../captions.js';
import type { Box } from '../page-content.js';
import { phrasesOf } from './columns.js';
import { meet, type Rule, type Rules } from './rules.js';
import { rowsOf, type Row, type Word } from './words.js';

/** A part of the page between level rules. */
export interface RuledRegion {
  readonly box: Box;
  readonly rules: readonly Rule[];
  /** The number of rules of its whole width. */
  readonly full: number;
}

/** Rules of one table begin and end at the same places, give or take this. */
const sameEnd = 6;

/** Parts between rules of one width that hold rows with gaps, not prose. */
export function ruledRegions(
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
  const ticks = met.filter(({ from, to }) => to - from < longestTick);
  return (meetsAt(rule.from) && meetsAt(rule.to)) || ticks.length >= 3;
}

const longestTick = 9;

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
