import { z } from 'zod';

/** Indices in the order of a run, from 0. `end` is exclusive. */
export const sampleRangeSchema = z.object({
  start: z.int().nonnegative(),
  end: z.int().nonnegative(),
});
export type SampleRange = Readonly<z.infer<typeof sampleRangeSchema>>;

/** Ranges that are kept: a state that is carried must not grow with the number of questions. */
export const mostRanges = 24;

/**
 * Both together, in order and apart from each other. Where they are more than `mostRanges`, the smallest gaps are closed,
 * so that the ranges hold indices that were not given, too.
 */
export function joinedRanges(
  some: readonly SampleRange[],
  others: readonly SampleRange[],
): readonly SampleRange[] {
  const joined: SampleRange[] = [];
  for (const range of [...some, ...others].toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (range.start >= range.end) continue;
    if (last === undefined || range.start > last.end) joined.push(range);
    else joined[joined.length - 1] = { ...last, end: Math.max(last.end, range.end) };
  }
  return joined.length <= mostRanges ? joined : withLargestGaps(joined);
}

export const rangesOf = (indices: readonly number[]): readonly SampleRange[] =>
  indices.map((index) => ({ start: index, end: index + 1 }));

function withLargestGaps(ranges: readonly SampleRange[]): readonly SampleRange[] {
  const [first, ...others] = ranges;
  if (first === undefined) return [];
  const gaps = others.map(({ start }, index) => ({
    start,
    // The range before this one exists.
    before: (ranges[index] as SampleRange).end,
  }));
  const kept = gaps
    .toSorted((a, b) => b.start - b.before - (a.start - a.before) || a.start - b.start)
    .slice(0, mostRanges - 1)
    .toSorted((a, b) => a.start - b.start);
  const starts = [first.start, ...kept.map(({ start }) => start)];
  const lastEnd = ranges.at(-1)?.end ?? first.end;
  return starts.map((start, index) => ({ start, end: kept[index]?.before ?? lastEnd }));
}
