import { sharedHeight, sharedWidth } from '../body-print.js';
import type { Caption } from '../captions.js';
import type { Box } from '../page-content.js';

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
