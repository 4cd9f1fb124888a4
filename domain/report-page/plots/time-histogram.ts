/** How many times fell between two bounds. */
export interface TimeBin {
  readonly fromMs: number;
  readonly toMs: number;
  readonly count: number;
}

/** So many bins between a millisecond and ten, ten and a hundred, and so on. */
const binsPerDecade = 5;

/** Times in bins of equal ratio, those between the first and the last that hold any; shorter than a millisecond counts as one. */
export function timeHistogram(timesMs: readonly number[]): readonly TimeBin[] {
  const counts = new Map<number, number>();
  for (const ms of timesMs) {
    const bin = Math.floor(Math.log10(Math.max(1, ms)) * binsPerDecade);
    counts.set(bin, (counts.get(bin) ?? 0) + 1);
  }
  if (counts.size === 0) return [];
  const first = Math.min(...counts.keys());
  const last = Math.max(...counts.keys());
  const bound = (bin: number): number => 10 ** (bin / binsPerDecade);
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const bin = first + index;
    return { fromMs: bound(bin), toMs: bound(bin + 1), count: counts.get(bin) ?? 0 };
  });
}
