import { upperTail } from './intervals.js';
import { valueAt } from './latencies.js';
import { sum, type Interval } from './means.js';

interface BootstrappedMean {
  readonly standardError: number;
  /** The percentile interval. */
  readonly interval: Interval;
}

/** The number of resamples and the seed of the generator. */
export interface Resampling {
  readonly resamples: number;
  readonly seed: number;
}

const defaultResampling: Resampling = { resamples: 10_000, seed: 1 };

/**
 * The bootstrap of a mean of paired differences. It draws whole clusters with replacement; clusters of one pair give the
 * plain bootstrap. Needs at least one difference. The same seed gives the same result on every machine. B. Efron and R.
 * Tibshirani, "An introduction to the bootstrap" (1993), chapters 6 and 13.
 */
export function pairedBootstrap(
  clusters: readonly (readonly number[])[],
  { resamples, seed }: Resampling = defaultResampling,
): BootstrappedMean {
  const totals = Float64Array.from(clusters, sum);
  const sizes = Float64Array.from(clusters, ({ length }) => length);
  const draw = seededGenerator(seed);
  const means = new Float64Array(resamples);
  for (let resample = 0; resample < resamples; resample += 1) {
    let total = 0;
    let size = 0;
    for (let drawn = 0; drawn < clusters.length; drawn += 1) {
      const index = Math.floor(draw() * clusters.length);
      total += totals[index] ?? 0;
      size += sizes[index] ?? 0;
    }
    means[resample] = total / size;
  }
  means.sort();
  return {
    standardError: spreadOf(means),
    interval: { low: valueAt(means, 1 - upperTail), high: valueAt(means, upperTail) },
  };
}

function spreadOf(values: Float64Array): number {
  const centre = values.reduce((total, value) => total + value, 0) / values.length;
  const squares = values.reduce((total, value) => total + (value - centre) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1));
}

const rotate = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));

/**
 * A generator of integers from 0 to 2³² − 1; the same state gives the same numbers. xoshiro128** of D. Blackman and S. Vigna,
 * "Scrambled linear pseudorandom number generators", ACM TOMS 47 (2021). The state must not be all zeros.
 */
export function xoshiro128(state: readonly [number, number, number, number]): () => number {
  let [a, b, c, d] = state;
  return () => {
    const next = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotate(d, 11);
    return next;
  };
}

/** A generator of numbers in [0, 1); the same seed gives the same numbers. */
function seededGenerator(seed: number): () => number {
  const draw = xoshiro128([seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0, 0x9e3779b9, 0x243f6a88]);
  // The first numbers are not random enough for small seeds.
  for (let skipped = 0; skipped < 32; skipped += 1) draw();
  return () => draw() / 2 ** 32;
}

/**
 * The exact two-sided p-value of `better` against `worse` differing pairs, if both directions are equally likely. For scores of
 * 0 and 1 this is McNemar's test, for other scores the sign test. Q. McNemar,
 * "Note on the sampling error of the difference between correlated proportions or percentages", Psychometrika 12 (1947).
 */
export function mcnemarExact(better: number, worse: number): number {
  const trials = better + worse;
  if (trials === 0) return 1;
  const fewer = Math.min(better, worse);
  let logWays = 0;
  let tail = 0;
  for (let successes = 0; successes <= fewer; successes += 1) {
    tail += Math.exp(logWays - trials * Math.LN2);
    logWays += Math.log((trials - successes) / (successes + 1));
  }
  return Math.min(1, 2 * tail);
}

/** The smallest number of differing pairs, all in one direction, for which the exact test is significant at `alpha`. */
export function fewestDecisiveFlips(alpha: number): number {
  return Math.ceil(1 + Math.log2(1 / alpha));
}

/**
 * Adjusts the p-values of several comparisons, so that each can be compared with the level of a single test: the probability
 * of any false positive stays below that level. The order is kept. S. Holm, "A simple sequentially
 * rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979).
 */
export function holm(pValues: readonly number[]): readonly number[] {
  const ascending = pValues.map((p, index) => ({ p, index })).sort((a, b) => a.p - b.p);
  const adjusted = new Array<number>(pValues.length);
  let highest = 0;
  for (const [rank, { p, index }] of ascending.entries()) {
    highest = Math.max(highest, Math.min(1, p * (pValues.length - rank)));
    adjusted[index] = highest;
  }
  return adjusted;
}
